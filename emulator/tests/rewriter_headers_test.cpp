#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "headers.hpp"
#include "process.hpp"

namespace fs = std::filesystem;

namespace {

/// A folder of this process alone, which goes with it.
class Folder {
public:
  Folder()
      : path_(fs::temp_directory_path() / ("build-first-headers-" + std::to_string(getpid()))) {
    fs::create_directories(path_ / "include");
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder &) = delete;

  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  std::string include() const { return path_ / "include"; }

private:
  fs::path path_;
};

rewriter::Ended compile(const Folder &folder,
                        const std::string &text,
                        const std::vector<std::string> &front = {},
                        const std::vector<std::string> &options = {},
                        const std::vector<std::string> &compiler = {CXX_COMPILER, "-w"},
                        const std::vector<std::string> &step = {}) {
  const std::string source = folder.write("a.cu", text);
  std::vector<std::string> command = front;
  command.push_back(CUDA_REWRITER);
  command.insert(command.end(), step.begin(), step.end());
  command.insert(command.end(), compiler.begin(), compiler.end());
  command.insert(command.end(), {"-std=c++20", "-fsyntax-only"});
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(),
                 {"-isystem",
                  EMULATOR_HEADERS,
                  "-isystem",
                  FORWARDING_HEADERS,
                  "-c",
                  source,
                  "-o",
                  source + ".o"});
  return rewriter::run(command);
}

} // namespace

TEST_CASE("a CUDA toolkit's headers are not taken, whatever lies on the path") {
  const Folder folder;
  const std::string toolkit = folder.include();
  folder.write("include/cuda_runtime.h", "inline int of_a_toolkit;\n");
  const std::string fp6 = folder.write("include/cuda_fp6.h", "inline int of_a_toolkit;\n");
  const struct {
    std::vector<std::string> front, options;
  } ways[] = {{{"env", "CPATH=" + toolkit}, {}},
              {{"env", "CPLUS_INCLUDE_PATH=/nowhere:" + toolkit}, {}},
              {{}, {"-I", toolkit}},
              {{}, {"-I" + toolkit}},
              {{}, {"-isystem", toolkit}}};
  for (const auto &[front, options] : ways) {
    const rewriter::Ended ours =
        compile(folder, "#include <cuda_runtime.h>\nint of_a_toolkit;\n", front, options);
    CAPTURE(ours.said);
    CHECK(ours.status == 0);
    const rewriter::Ended missing = compile(folder, "#include <cuda_fp6.h>\n", front, options);
    CAPTURE(missing.said); // another toolkit's, if the compiler's own folders have one
    CHECK(missing.status == 1);
    CHECK(missing.said.find("a.cu:1:") != std::string::npos);
    CHECK(missing.said.find("<cuda_fp6.h>") != std::string::npos);
    CHECK(missing.said.find(" of the short floating-point types it has ") != std::string::npos);
    CHECK(missing.said.find(toolkit) == std::string::npos);
    CHECK(missing.said.find('\n') == missing.said.size() - 1);
  }
  const rewriter::Ended by_path = compile(folder, "\n#include \"" + fp6 + "\"\n");
  CHECK(by_path.status == 1);
  CHECK(by_path.said.find("a.cu:2: error: <cuda_fp6.h> is a CUDA toolkit's (" + toolkit +
                          "), for a GPU: the emulator has none. of the short "
                          "floating-point types it has") != std::string::npos);
}

namespace {

/// All of them in one source, and a kernel that takes what is the engine's.
void check_headers(const std::string &compiler) {
  std::ifstream list(EMULATOR_HEADERS "/forwarding.txt");
  std::string text;
  int headers = 0;
  for (std::string line; std::getline(list, line);)
    if (!line.empty() && line[0] != '#') {
      text += "#include <" + line.substr(0, line.find(' ')) + ">\n";
      ++headers;
    }
  CHECK(headers > 100);
  const Folder folder;
  // Programs name their sizes so.
  text = "#define K 4\n#define M 3\n#define N 2\n#define T 7\n" + text +
         "__global__ void numbered(unsigned *p) { p[threadIdx.x] = gridDim.x; }\n";
  const rewriter::Ended ended =
      compile(folder,
              text,
              {},
              {},
              {compiler, "-Wall", "-Wextra", "-Werror", "-Wno-unused-command-line-argument"});
  CAPTURE(ended.said);
  CHECK(ended.status == 0);
}

} // namespace

TEST_CASE("each header that only includes others finds them") { check_headers(CXX_COMPILER); }

TEST_CASE("clang finds them, too, and warns of nothing" *
          doctest::skip(std::system("command -v clang++ >/dev/null") != 0)) {
  check_headers("clang++");
}

TEST_CASE(
    "what runs PTX is read where a source or a header of its own has assembler, and nowhere else") {
  const Folder folder;
  const std::string other_use = "namespace emu::ptx { struct Name; }\n"; // there it is a template
  const bool always = std::string(CXX_COMPILER).find("clang") != std::string::npos;
  CHECK((compile(folder, other_use).status == 0) == !always);
  const std::string lane = "__device__ inline unsigned lane() {\n  unsigned id;\n"
                           "  asm(\"mov.u32 %0, %laneid;\" : \"=r\"(id));\n  return id;\n}\n";
  CHECK(compile(folder, other_use + lane).status != 0);
  folder.write("include/lane.hpp", lane);
  const rewriter::Ended ended = compile(folder,
                                        "#include <lane.hpp>\n"
                                        "__global__ void lanes(unsigned *out) { *out = lane(); }\n",
                                        {},
                                        {"-I", folder.include()});
  CAPTURE(ended.said);
  CHECK(ended.status == 0);
}

TEST_CASE("what a distribution's toolkit has put among all other headers") {
  const auto refused = [](const std::string &header) {
    const auto found = rewriter::headers_of_toolkits(
        "# 1 \"a.cu\"\n# 1 \"a.cu\"\n\n# 1 \"/usr/include/" + header + "\" 1 3 4\n# 3 \"a.cu\" 2\n",
        EMULATOR_HEADERS);
    return found.empty()
               ? ""
               : found[0].file + ":" + std::to_string(found[0].line) + ": " + found[0].what;
  };
  CHECK(refused("cufft.h") == "a.cu:2: <cufft.h> is a CUDA toolkit's (/usr/include), for a GPU: "
                              "the emulator has none. cuFFT runs on a GPU alone");
  for (const char *other : {"cuda_fp6.h", "thrust/mr/pool.h", "cub/agent/agent_reduce.cuh"})
    CHECK(refused(other) != "");
  for (const char *none : {"stdio.h", "x86_64-linux-gnu/sys/types.h", "curses.h"})
    CHECK(refused(none) == "");
}

TEST_CASE("what CUDA has no more is said with its release, and with what there is instead") {
  const Folder folder;
  const rewriter::Ended ended = compile(folder,
                                        "texture<float, 1> old;\n"
                                        "int main() {\n"
                                        "  cudaThreadSynchronize();\n"
                                        "  cudaDeviceProp it;\n"
                                        "  return it.clockRate;\n"
                                        "}\n");
  CAPTURE(ended.said);
  CHECK(ended.status == 1);
  for (const char *words :
       {"texture was removed in CUDA 12.0: use a texture object: cudaCreateTextureObject",
        "a.cu:3:3: error: cudaThreadSynchronize was removed in CUDA 13.0: call "
        "cudaDeviceSynchronize\n",
        "clockRate was removed in CUDA 13.0: ask cudaDeviceGetAttribute for "
        "cudaDevAttrClockRate\n"})
    CHECK(ended.said.find(words) != std::string::npos);
}

TEST_CASE("what is left out may be no C++, and lines may end as on Windows") {
  const Folder folder;
  const rewriter::Ended ended = compile(folder,
                                        "#if 0\r\nthis doesn't end\r\n#endif\r\n"
                                        "#define TWICE(a) \\\r\n  ((a) * 2)\r\n"
                                        "__global__ void k(int *p) {\r\n  __shared__ int s;\r\n"
                                        "  s = TWICE(1);\r\n  *p = s;\r\n}\r\n"
                                        "int main() { k<<<1, \\\r\n 1>>>(nullptr); }\r\n");
  CAPTURE(ended.said);
  CHECK(ended.status == 0);
}

TEST_CASE("a device's pass is an H200's, unless the command names another one") {
  const Folder folder;
  const auto is = [&](const std::string &device, const std::vector<std::string> &options) {
    const std::string says = "#include <cuda_runtime.h>\n#if __CUDA_ARCH__ == 800\n#error of 800.\n"
                             "#elif defined(__CUDA_ARCH_FEAT_SM90_ALL)\n#error of 900 with all.\n"
                             "#elif __CUDA_ARCH__ == 900\n#error of 900.\n"
                             "#elif __CUDA_ARCH__ == 1000\n#error of 1000.\n#endif\n";
    const rewriter::Ended ended = compile(
        folder, says, {}, options, {CXX_COMPILER, "-w"}, {"--prepare", folder.include() + "/a.ii"});
    CAPTURE(ended.said);
    return ended.said.find("#error of " + device + ".") != std::string::npos;
  };
  CHECK(is("900", {}));
  CHECK(is("900", {"-arch=native"}));
  for (const std::vector<std::string> &options :
       {std::vector<std::string>{"-arch=sm_80"},
        {"-arch", "compute_80"},
        {"--gpu-architecture=sm_80"},
        {"-gencode", "arch=compute_80,code=sm_86"},
        {"-arch=compute_80", "-code=sm_90"},
        {"-gencode=arch=compute_75,code=sm_75", "--generate-code", "arch=compute_80,code=sm_80"}}) {
    CHECK(is("800", options));
  }
  CHECK(is("900 with all", {"-gencode", "arch=compute_90a,code=sm_90a"}));
  CHECK(is("900", {"-arch=sm_90"}));
  CHECK(is("1000", {"-arch=sm_100"}));
}

TEST_CASE("the compiler checks alignments where a type is named that needs it") {
  const Folder folder;
  const auto checks = [&](const std::string &text) {
    const std::string flag = "-fsanitize=alignment";
    const rewriter::Ended ended =
        compile(folder, "#include <cuda_runtime.h>\n" + text + "\n", {}, {"-v", flag});
    CAPTURE(ended.said);
    CHECK(ended.status == 0);
    // By the compiler's second run, the one that reads what is preprocessed; clang tells nothing of the first.
    for (const char *reads : {"-fpreprocessed", "c++-cpp-output"})
      if (const size_t at = ended.said.find(reads); at != std::string::npos) {
        const size_t begin = ended.said.rfind('\n', at), end = ended.said.find('\n', at);
        return ended.said.substr(begin, end - begin).find(flag) != std::string::npos;
      }
    FAIL("no second run: ", ended.said);
    return false;
  };
  CHECK(!checks("__global__ void k(double *p, float2 v) { *p = v.x + threadIdx.x; }"));
  CHECK(checks("#define WIDE int##4\n__global__ void k(WIDE *p) { p->x = 1; }"));
}
