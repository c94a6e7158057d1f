#include "exercises/elf_object.hpp"
#include "exercises/name_lists.hpp"
#include "exercises/screen.hpp"

#include "base/files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <regex>

namespace tutor {
namespace {

// The C library, as far as kernels and their hosts use it: no files but stdout and stderr, no
// processes, no signals, no environment. (Many a program has a thread for each device.)
const Names c_functions = names_in(
    "abort abs aligned_alloc atof atoi atol bsearch calloc clock exit fflush fprintf "
    "fputc fputs free fwrite labs malloc memchr memcmp memcpy memmove memset printf "
    "pthread_create pthread_mutex_lock pthread_mutex_unlock putchar puts qsort rand rand_r "
    "sched_yield realloc snprintf sprintf srand stderr stdout strchr strcmp strcpy strlen "
    "strncmp strncpy strrchr strstr strtod strtof strtol strtoul strtoull time tolower "
    "toupper vfprintf vprintf vsnprintf");
/// With f or l behind them, too.
const Names math_functions =
    names_in("acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 "
             "expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint "
             "llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow "
             "remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma "
             "trunc j0 j1 jn y0 y1 yn");
/// Of the compiler: what it calls for C++, for wide arithmetic, and to tell of an access or a shift.
const Names compiler_functions =
    names_in("_GLOBAL_OFFSET_TABLE_ _Unwind_Resume __assert_fail __dso_handle __errno_location "
             "__gxx_personality_v0 __gcc_personality_v0 __memcpy_chk __memset_chk __printf_chk "
             "__sanitizer_cov_trace_pc __snprintf_chk __stack_chk_fail "
             "__ubsan_handle_shift_out_of_bounds __ubsan_handle_type_mismatch_v1 "
             // std::shared_ptr, dynamic_cast, std::async
             "__libc_single_threaded __dynamic_cast __once_proxy __tls_get_addr pthread_once");
constexpr std::array compiler_beginnings{"__tsan_", "__cxa_", "__ctz", "__clz", "__popcount"};
/// The engine's, which are no functions.
constexpr std::array engine_variables{"threadIdx", "blockIdx", "blockDim", "gridDim"};
/// What CUDA's headers call of the emulator: nothing that the instruments listen to.
const Names emulator_names = names_in(
    "configure launch run_each_thread turn in_a_row entered_fiber switch_fiber end_thread_slow "
    "barrier "
    "barrier_slow barrier_count barrier_of cluster_extent has_clusters cluster_arrive cluster_wait "
    "in_shared_of rank_of_shared shared_of init_phases end_phases arrive_slow "
    "expect_bytes wait_slow know_arrivals refuse_barrier named_barrier begin_bulk_load "
    "begin_bulk_store commit_bulk wait_for_bulk proxy_fence begin_tensor_load "
    "begin_tensor_store current_launch static_shared dynamic_shared "
    "place_shared yield spins lane_id exchange converge_from thread_slots grid_barrier "
    "in_cooperative_launch in_kernel complain complain_of_source complain_of_width "
    "warn_of_absent fail_launch inline_ptx absent_ptx misfit_ptx trap note_atomic note_fence "
    "note_acquire "
    "note_active_mask note_read_only "
    "begin_copy_slow commit_copies_slow wait_for_groups end_with_phase init_phases end_phases "
    "arrive_slow expect_bytes wait_slow know_arrivals refuse_barrier named_barrier "
    "begin_bulk_load begin_bulk_store commit_bulk wait_for_bulk proxy_fence "
    "async_block DeviceVariable ManagedVariable LaunchOutcome then_wait "
    "copy_to_symbol copy_from_symbol "
    "symbol_address symbol_size note_kernel launch_noted read_launch_config "
    "validate_cooperative_launch validate_launch max_active_blocks "
    "max_cluster_size max_active_clusters max_potential_block_size available_dynamic_shared "
    "set_function_attribute "
    "get_function_attributes set_function_cache_config note_static_shared read_texture "
    "surface_element null_stream_is_per_thread");
/// Of the standard library what opens, starts or waits for something, and what copies memory for its caller where no
/// instrument sees it, in a kernel, too.
const Names std_forbidden =
    names_in("basic_filebuf basic_ifstream basic_ofstream basic_fstream 10filesystem "
             "_ZNSt13random_device __basic_file 8__detail4_Fd basic_streambuf "
             "basic_stringbuf basic_stringstream basic_istringstream basic_ostringstream "
             "basic_spanbuf 9use_facet _ZNSt6locale");
const Names section_beginnings = names_in(
    ".text .data .rodata .bss .init_array .fini_array .ctors .dtors .note .comment "
    ".eh_frame .debug .rela .symtab .strtab .shstrtab .gcc_except_table .group .llvm "
    "emu_constant emu_structures .linker-options"); // clang's, of a precompiled header: empty

/// The first name of a mangled one behind "_ZN…": emu of _ZN3emu7barrierENS_4SiteE, and what follows.
std::string_view take_name(std::string_view &mangled) {
  std::size_t length = 0, digits = 0;
  while (digits < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[digits]))) {
    length = std::min<std::size_t>(10 * length + static_cast<std::size_t>(mangled[digits] - '0'),
                                   mangled.size());
    ++digits;
  }
  const std::string_view name = mangled.substr(digits, length);
  mangled.remove_prefix(std::min(digits + length, mangled.size()));
  return digits == 0 ? std::string_view() : name;
}

/// The namespace that a mangled name begins with, and the name in it.
struct Owned {
  std::string_view space, name;
};
Owned owner_of(std::string_view mangled) {
  // _ZN…, of tables, guards, types, wrappers, what is local to a function; members that are const, volatile or for
  // values alone.
  const std::size_t nested = mangled.find_first_not_of("_ZGVTISHWCR");
  if (!mangled.starts_with("_Z") || nested == std::string_view::npos || mangled[nested] != 'N') {
    return {};
  }
  mangled.remove_prefix(nested + 1);
  mangled.remove_prefix(std::min(mangled.find_first_not_of("rVKRO"), mangled.size()));
  const std::string_view space = take_name(mangled);
  return {space, take_name(mangled)};
}

/// std::…, and what has a letter of its own in mangled names: std::ostream, std::allocator.
bool is_of_std(std::string_view mangled) {
  return begins_like(mangled, std::array{"_ZS", "_ZNS", "_ZNKS", "_ZNRS", "_ZNKRS", "_ZNOS"});
}

bool is_math(std::string_view name) {
  if (among(name, math_functions)) {
    return true;
  }
  const bool suffixed = name.ends_with("f") || name.ends_with("l");
  return suffixed && among(name.substr(0, name.size() - 1), math_functions);
}

/// Arithmetic in software: __addtf3, __divti3 …
bool is_wide_arithmetic(std::string_view name) {
  const char last = name.empty() ? '\0' : name.back();
  return name.starts_with("__") &&
         (name.find("tf") != std::string_view::npos || name.find("ti") != std::string_view::npos ||
          name.find("di") != std::string_view::npos) &&
         name.size() < 16 &&
         (std::isdigit(static_cast<unsigned char>(last)) || last == 'f' || last == 'i');
}

bool may_need(std::string_view name, bool by_nvcc) {
  if (name.starts_with("_Z")) {
    const Owned owned = owner_of(name);
    if (owned.space == "emu") {
      return among(owned.name, emulator_names);
    }
    return !among(owned.space, our_namespaces) &&
           std::ranges::none_of(std_forbidden, [&](const std::string &part) {
             return name.find(part) != std::string_view::npos;
           });
  }
  const bool cuda = by_nvcc && (name.starts_with("cuda") || name.starts_with("__cuda") ||
                                name.starts_with("nccl"));
  return cuda || among(name, c_functions) || is_math(name) || among(name, compiler_functions) ||
         begins_like(name, compiler_beginnings) || among(name, engine_variables) ||
         is_wide_arithmetic(name);
}

/// Of the lists above, what is for the host alone, and what reads or stores where no instrument sees it.
const Names not_in_kernels = names_in(
    "copy_to_symbol copy_from_symbol symbol_address symbol_size DeviceVariable "
    "ManagedVariable LaunchOutcome set_function_attribute set_function_cache_config "
    "__errno_location __memcpy_chk __memset_chk __printf_chk __snprintf_chk __dynamic_cast "
    "__once_proxy __tls_get_addr pthread_once nan nanf nanl "
    "modfl frexpl remquol sincosl");
const Names c_in_kernels = names_in("abort abs labs putchar");
/// Of CUDA's runtime what a kernel may call.
const Names cuda_in_kernels =
    names_in("cudaDeviceGetAttribute cudaDeviceSynchronize cudaFree cudaGetDevice "
             "cudaGetDeviceCount cudaGetErrorName cudaGetErrorString cudaGetLastError cudaMalloc "
             "cudaPeekAtLastError cudaStreamCreateWithFlags cudaStreamDestroy");

/// Whether a kernel may come to it, of what its own file does not define.
bool kernel_may_need(std::string_view name) {
  const bool mangled = name.starts_with("_Z");
  const Owned owned = owner_of(name);
  if (!may_need(name, false) || among(owned.space == "emu" ? owned.name : name, not_in_kernels)) {
    return false;
  }
  if (!mangled) {
    return !among(name, c_functions) || among(name, c_in_kernels);
  }
  if (is_of_std(name)) { // of the constexpr functions that nvcc lets pass: what they end in
    return name.find("__throw_") != std::string_view::npos || name == "_ZSt9terminatev" ||
           name.find("__glibcxx_assert_fail") != std::string_view::npos;
  }
  std::string_view global = name.substr(2);
  const std::string_view plain = take_name(global);
  return !(plain.starts_with("cu") || plain.starts_with("nccl") || plain.starts_with("nv")) ||
         plain.starts_with("curand") || among(plain, cuda_in_kernels);
}

/// Whether one of the libraries of C and C++ has it: this program stands on them as submissions do.
bool in_a_library(std::string_view name) {
  return dlsym(RTLD_DEFAULT, std::string(name).c_str()) != nullptr;
}

/// How often a mangled name says a part of itself again: S3_, T_.
std::size_t repetitions_in(std::string_view mangled) {
  std::size_t count = 0, first = std::string_view::npos;
  for (std::size_t i = 0; i < mangled.size(); ++i) {
    const char c = mangled[i];
    count += c == '_' && first != std::string_view::npos;
    if (c == 'S' || c == 'T') {
      first = i;
    } else if (std::isdigit(static_cast<unsigned char>(c)) == 0 && (c < 'A' || c > 'Z')) {
      first = std::string_view::npos;
    }
  }
  return count;
}

/// As a program has it, "std::locale::locale()". Parts that are made of parts that are said again double with each:
/// a name of 300 letters can be one of gigabytes.
std::string readable(std::string_view mangled) {
  constexpr std::size_t most = 30; // at three for each, 3^10 times as long
  if (repetitions_in(mangled) > most) {
    return std::string(mangled);
  }
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, nullptr), &std::free);
  return name ? name.get() : std::string(mangled);
}

/// What a file may not need, as its author wrote it: "std::stringstream" for the table of its virtual functions, which an
/// optimised file needs, and for its constructor, which others call.
std::string as_written(std::string_view mangled) {
  static const std::regex detail("__cxx11::|basic_(?=\\w*stream)|<char, std::char_traits<char>"
                                 "(, std::allocator<char>)? ?>"),
      table("(?:VTT|vtable|typeinfo|typeinfo name) for (.*)"),
      constructor("(.*\\b(\\w+))::~?\\2\\(.*");
  const std::string name = std::regex_replace(readable(mangled).substr(0, 1000), detail, "");
  std::smatch found;
  if (std::regex_match(name, found, table) || std::regex_match(name, found, constructor)) {
    return found[1].str().substr(0, 200) + " is used";
  }
  return name.substr(0, 200) + " is called";
}

std::string screen_defined(std::string_view name,
                           const ElfSymbol &symbol,
                           std::string_view own,
                           const NameTest &is_ours) {
  if (symbol.indirect) {
    return fmt::format("{} is chosen while the program is loaded (ifunc): no exercise needs that",
                       name);
  }
  if (name == "main") {
    return "main() belongs to the checker: leave it out";
  }
  const Owned owned = owner_of(name);
  // A structure called lab is the learner's own, as long as nothing in it has the name of something of ours.
  if (among(owned.space, our_namespaces) && is_ours(name)) {
    return fmt::format(
        "{} is defined: the checker has a {}::{} of its own, give yours another name",
        name,
        owned.space,
        owned.name);
  }
  // What headers define inline is weak. Strong, or in a line of the submission's, it replaces what the libraries have.
  const bool emulators = owned.space == "emu", library = emulators || is_of_std(name);
  const bool taken = in_a_library(name) || (symbol.function && is_ours(name));
  const bool own_line = symbol.file == own && (emulators || taken);
  const bool of_c = !name.starts_with("_Z") && (name.starts_with("_") || taken) &&
                    !(symbol.weak && name == "__clang_call_terminate"); // clang's, behind noexcept
  const bool replaces = of_c || (library && (!symbol.weak || own_line)) ||
                        begins_like(name, std::array{"_Znw", "_Zna", "_Zdl", "_Zda"});
  return replaces ? fmt::format("{} is defined: functions of the libraries must not be replaced",
                                readable(name))
                  : "";
}

std::string screen_symbol(const ElfSymbol &symbol,
                          std::string_view own,
                          bool by_nvcc,
                          const NameTest &is_ours) {
  const std::string_view name = symbol.name;
  if (name.empty() || symbol.local) {
    return "";
  }
  if (by_nvcc && name == "atexit") {
    return ""; // its own code takes the kernels back
  }
  if (!symbol.defined) {
    return may_need(name, by_nvcc) ? "" : as_written(name) + ": no exercise needs that";
  }
  return screen_defined(name, symbol, own, is_ours);
}

/// What a kernel comes to, by whatever way, that no instrument has a look at: nvcc refuses most of it, by its name.
std::optional<Forbidden> screen_kernels(const std::string &object, const NameTest &is_first) {
  const auto uses = names_reached(object, "_ZN3emu10run_threadI");
  if (!uses) {
    return Forbidden{0, "an object file that is none, or of which nobody can tell what it needs"};
  }
  for (const ElfUse &use : *uses) {
    if (use.defined ? is_first(use.name) : !kernel_may_need(use.name)) {
      const bool own = !use.by.empty() && use.by.find("3emu") > 6;
      Forbidden found{0,
                      fmt::format("calling a __host__ function(\"{}\") from {} is not allowed",
                                  readable(use.name).substr(0, 200),
                                  own ? fmt::format("a __device__ function(\"{}\")",
                                                    readable(use.by).substr(0, 200))
                                      : "a kernel")};
      found.by_nvcc = true;
      return found;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<Forbidden> screen_object(const fs::path &object,
                                       const fs::path &own,
                                       bool by_nvcc,
                                       const NameTest &is_ours,
                                       const NameTest &is_first) {
  const std::string bytes = read_file(object);
  const std::optional<ElfObject> file = read_elf_object(bytes);
  if (!file) {
    return Forbidden{0, "an object file that is none, or of which nobody can tell what it needs"};
  }
  for (const std::string &name : file->sections) {
    const bool known = name.empty() || begins_like(name, section_beginnings) ||
                       (by_nvcc && (name.starts_with(".nv") || name.starts_with("__nv")));
    if (!known) {
      return Forbidden{0, fmt::format("a section {}: no exercise needs that", name.substr(0, 200))};
    }
  }
  for (const ElfSymbol &symbol : file->symbols) {
    if (std::string found = screen_symbol(symbol, own.filename().string(), by_nvcc, is_ours);
        !found.empty()) {
      return Forbidden{0, found};
    }
  }
  return by_nvcc ? std::nullopt : screen_kernels(bytes, is_first);
}

} // namespace tutor
