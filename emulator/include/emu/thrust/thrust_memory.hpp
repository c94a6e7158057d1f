/// \file
/// Thrust's memory: pointers that say where it lies, and vectors that own it.
#pragma once

#include "emu/language/letters_away.hpp"

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "emu/runtime/runtime_memory.hpp"

namespace emu {

inline void thrust_check(cudaError_t error) {
  if (error != cudaSuccess)
    throw std::bad_alloc();
}

/// What makes a random access iterator of a class that has `at(n)`, what lies n elements further, `advance(n)` and
/// `from(other)`, a distance.
template <class Self, class Reference, class Value = std::remove_cvref_t<Reference>>
class ThrustIterator {
public:
  using value_type = Value;
  using reference = Reference;
  using pointer = const Value *;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  decltype(auto) operator*() const { return self().at(0); }
  decltype(auto) operator[](difference_type n) const { return self().at(n); }
  Self &operator++() { return *this += 1; }
  Self &operator--() { return *this += -1; }
  Self operator++(int) {
    Self before = self();
    *this += 1;
    return before;
  }
  Self operator--(int) {
    Self before = self();
    *this += -1;
    return before;
  }
  Self &operator+=(difference_type n) {
    Self &me = static_cast<Self &>(*this);
    me.advance(n);
    return me;
  }
  Self &operator-=(difference_type n) { return *this += -n; }
  friend Self operator+(Self i, difference_type n) { return i += n; }
  friend Self operator+(difference_type n, Self i) { return i += n; }
  friend Self operator-(Self i, difference_type n) { return i += -n; }
  friend difference_type operator-(const Self &a, const Self &b) { return a.from(b); }
  friend bool operator==(const Self &a, const Self &b) { return a.from(b) == 0; }
  friend auto operator<=>(const Self &a, const Self &b) { return a.from(b) <=> 0; }

private:
  const Self &self() const { return static_cast<const Self &>(*this); }
};

/// What a function makes of an iterator's elements.
template <class F, class I>
using ResultOf = decltype(std::declval<const F &>()(*std::declval<const I &>()));

} // namespace emu

namespace thrust {

template <class T> class device_reference;

/// An address in device memory, which the host may not follow: reading through it copies.
template <class T>
class device_ptr
    : public emu::ThrustIterator<device_ptr<T>, device_reference<T>, std::remove_cv_t<T>> {
public:
  using pointer = device_ptr;
  device_ptr() = default;
  explicit device_ptr(T *raw) : raw_(raw) {}
  template <class U>
  requires std::is_convertible_v<U *, T *> device_ptr(const device_ptr<U> &other)
      : raw_(other.get()) {}
  T *get() const { return raw_; }
  device_reference<T> at(std::ptrdiff_t n) const { return device_reference<T>(raw_ + n); }
  void advance(std::ptrdiff_t n) { raw_ += n; }
  std::ptrdiff_t from(const device_ptr &other) const { return raw_ - other.raw_; }

private:
  T *raw_ = nullptr;
};

/// An element of device memory, for the host: copied when it is read or written.
template <class T> class device_reference {
  using Value = std::remove_cv_t<T>;

public:
  explicit device_reference(T *raw) : raw_(raw) {}
  operator Value() const {
    Value value;
    emu::thrust_check(cudaMemcpy(&value, raw_, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
  device_reference &operator=(const Value &value) {
    emu::thrust_check(cudaMemcpy(raw_, &value, sizeof value, cudaMemcpyHostToDevice));
    return *this;
  }
  device_reference &operator=(const device_reference &other) {
    return *this = static_cast<Value>(other);
  }
  device_reference &operator+=(const Value &value) {
    return *this = static_cast<Value>(*this) + value;
  }
  device_ptr<T> operator&() const { return device_ptr<T>(raw_); }

private:
  T *raw_;
};

template <class T> device_ptr<T> device_pointer_cast(T *raw) { return device_ptr<T>(raw); }
template <class T> device_ptr<T> device_pointer_cast(device_ptr<T> pointer) { return pointer; }
template <class T> T *raw_pointer_cast(device_ptr<T> pointer) { return pointer.get(); }
template <class T> T *raw_pointer_cast(T *raw) { return raw; }

template <class T> device_ptr<T> device_malloc(size_t count) {
  T *raw = nullptr;
  emu::thrust_check(cudaMalloc(&raw, count * sizeof(T)));
  return device_ptr<T>(raw);
}
template <class T> void device_free(device_ptr<T> pointer) { cudaFree(pointer.get()); }

template <class T> class host_vector : public std::vector<T> {
public:
  using std::vector<T>::vector;
  host_vector() = default;
  template <class Vector>
  requires requires(const Vector &v) { v.copy_to_host(); }
  host_vector(const Vector &other) : std::vector<T>(other.copy_to_host()) {}
  host_vector(const std::vector<T> &other) : std::vector<T>(other) {}
};

/// An array in device memory. Elements are copied as bits.
template <class T> class device_vector {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  using value_type = T;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;
  using pointer = iterator;
  using reference = device_reference<T>;
  using size_type = size_t;

  device_vector() = default;
  explicit device_vector(size_t count, const T &value = T())
      : device_vector(std::vector<T>(count, value)) {}
  device_vector(const std::vector<T> &values) { take(values.data(), values.size()); }
  device_vector(std::initializer_list<T> values) { take(values.begin(), values.size()); }
  template <std::input_iterator Iterator>
  device_vector(Iterator first, Iterator last) : device_vector(std::vector<T>(first, last)) {}
  device_vector(device_ptr<const T> first, device_ptr<const T> last) {
    take(first.get(), static_cast<size_t>(last - first));
  }
  device_vector(const device_vector &other) { take(other.raw_, other.size_); }
  device_vector(device_vector &&other) noexcept { swap(other); }
  device_vector &operator=(device_vector other) {
    swap(other);
    return *this;
  }
  ~device_vector() { cudaFree(raw_); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  iterator data() { return iterator(raw_); }
  const_iterator data() const { return const_iterator(raw_); }
  iterator begin() { return data(); }
  iterator end() { return data() + static_cast<std::ptrdiff_t>(size_); }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + static_cast<std::ptrdiff_t>(size_); }
  reference operator[](size_t i) { return reference(raw_ + i); }
  T operator[](size_t i) const { return device_reference<const T>(raw_ + i); }
  reference front() { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  auto rbegin() { return std::reverse_iterator(end()); }
  auto rend() { return std::reverse_iterator(begin()); }
  reference at(size_t i) { return (*this)[i]; }
  size_t capacity() const { return size_; }
  void reserve(size_t) {}
  void shrink_to_fit() {}
  void clear() { device_vector().swap(*this); }
  void assign(size_t count, const T &value) { *this = device_vector(count, value); }
  template <std::input_iterator Iterator> void assign(Iterator first, Iterator last) {
    *this = device_vector(first, last);
  }
  iterator erase(iterator first, iterator last) {
    const auto at = first - begin(), end = last - begin();
    change([=](std::vector<T> &v) { v.erase(v.begin() + at, v.begin() + end); });
    return begin() + at;
  }
  iterator erase(iterator at) { return erase(at, at + 1); }
  template <class Iterator> iterator insert(iterator at, Iterator first, Iterator last) {
    const auto index = at - begin();
    change([=](std::vector<T> &v) { v.insert(v.begin() + index, first, last); });
    return begin() + index;
  }
  void pop_back() { resize(size_ - 1); }
  void resize(size_t count, const T &value = T()) {
    change([&](std::vector<T> &v) { v.resize(count, value); });
  }
  void push_back(const T &value) { resize(size_ + 1, value); }
  void swap(device_vector &other) noexcept {
    std::swap(raw_, other.raw_);
    std::swap(size_, other.size_);
  }
  std::vector<T> copy_to_host() const {
    std::vector<T> values(size_);
    if (size_ > 0)
      emu::thrust_check(cudaMemcpy(values.data(), raw_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

private:
  void change(auto edit) {
    std::vector<T> values = copy_to_host();
    edit(values);
    *this = device_vector(values);
  }
  void take(const T *from, size_t count) {
    size_ = count;
    if (count == 0)
      return;
    emu::thrust_check(cudaMalloc(&raw_, count * sizeof(T)));
    emu::thrust_check(cudaMemcpy(raw_, from, count * sizeof(T), cudaMemcpyDefault));
  }
  T *raw_ = nullptr;
  size_t size_ = 0;
};

/// Memory that host and device share is device memory here.
template <class T> using universal_vector = device_vector<T>;

} // namespace thrust

#include "emu/language/letters_back.hpp"
