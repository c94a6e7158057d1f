/// \file
/// Values as bytes that another process of the same program reads: a copy of this one, in which what is constant lies at
/// the same addresses.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace emu {

/// Written or read: so that the fields of a structure are named once, in its carry().
class Bytes {
public:
  /// To be written.
  Bytes() = default;
  /// To be read.
  explicit Bytes(std::string bytes) : bytes_(std::move(bytes)), reads_(true) {}

  template <class... T> void operator()(T &...values) { (one(values), ...); }
  const std::string &text() const { return bytes_; }
  bool reads() const { return reads_; }

private:
  void raw(void *value, size_t bytes) {
    if (!reads_) {
      bytes_.append(static_cast<const char *>(value), bytes);
      return;
    }
    std::memcpy(value, bytes_.data() + at_, bytes);
    at_ += bytes;
  }
  template <class T> void one(T &value) {
    if constexpr (requires { value.carry(*this); })
      value.carry(*this);
    else if constexpr (requires { carry(*this, value); })
      carry(*this, value);
    else {
      static_assert(std::is_trivially_copyable_v<T>, "it needs a carry()");
      raw(&value, sizeof value);
    }
  }
  /// \return how many there are
  template <class Values> size_t count_of(const Values &values) {
    size_t count = values.size();
    raw(&count, sizeof count);
    return count;
  }
  void one(std::string &text) {
    text.resize(count_of(text));
    raw(text.data(), text.size());
  }
  template <class T> void one(std::vector<T> &values) {
    values.resize(count_of(values));
    for (T &value : values)
      one(value);
  }
  template <class T> void one(std::optional<T> &value) {
    bool there = value.has_value();
    raw(&there, sizeof there);
    if (there && !value)
      value.emplace();
    if (there)
      one(*value);
  }
  template <class... T> void one(std::tuple<T...> &values) {
    std::apply([this](T &...each) { (one(each), ...); }, values);
  }
  template <class K, class V> void one(std::map<K, V> &values) { entries(values); }
  template <class K, class V> void one(std::unordered_map<K, V> &values) { entries(values); }
  template <class Map> void entries(Map &values) {
    size_t left = count_of(values);
    if (!reads_)
      for (auto &[key, value] : values) {
        auto copy = key; // which is constant
        (*this)(copy, value);
      }
    for (; reads_ && left > 0; --left) {
      typename Map::key_type key{};
      one(key);
      one(values[key]);
    }
  }

  std::string bytes_;
  size_t at_ = 0;
  bool reads_ = false;
};

} // namespace emu
