#include "demos/demos.hpp"
#include "demos/strided_reads.cuh"

#include <string>

namespace {

using strided_reads::Field;

const int cell_width = lab::on_emulator() ? 17 : 24;

void head(lab::Demo &demo, const char *first) {
  demo.say("%9s", "");
  for (const char *what : {"4-byte reads", "8-byte reads", "16-byte reads"})
    demo.say("%*s", cell_width, what);
  demo.say("\n%9s", first);
  for (int i = 0; i < 3; ++i)
    demo.say("   sectors   used%s", lab::on_emulator() ? "" : "   GB/s");
  demo.say("\n");
}

// One cell of the table: stride and offset count in elements of type T.
template <class T>
void cell(lab::Demo &demo,
          Field &field,
          const std::string &key,
          size_t stride,
          size_t offset,
          bool shown = true) {
  const unsigned sectors = sectors_of_request(sizeof(T), stride * sizeof(T), offset * sizeof(T));
  const double used = percent_used(sizeof(T), sectors);
  lab::Verdict right;
  const auto check = [&] { right = field.check<T>(stride, offset); };
  if (lab::being_observed())
    check(); // somebody counts already
  else if (const auto seen = lab::observe(check)) // all but the last warp, which may be ragged
    demo.expect(
        lab::compare_value("sectors counted",
                           seen->kernels[0].total(emu::Access::global_load).sectors_per_request(),
                           static_cast<double>(sectors),
                           {0.0, 0.02}));
  demo.expect(right);
  if (shown)
    demo.say("   %7u %4.0f %%", sectors, used);
  const std::string name = "read_" + std::to_string(sizeof(T)) + "_" + key;
  demo.value(name + "_sectors", sectors);
  if (!demo.timed())
    return;
  const double gbps = field.gbps<T>(stride, offset);
  if (shown)
    demo.say(" %6.0f", gbps);
  demo.value(name + "_gbps", gbps);
}

template <class T> void stride_cell(lab::Demo &demo, Field &field, size_t bytes) {
  if (bytes < sizeof(T)) // neighbours would overlap
    demo.say("%*s", cell_width, "-");
  else
    cell<T>(demo, field, "stride_" + std::to_string(bytes), bytes / sizeof(T), 0);
}

template <class T> void offset_cell(lab::Demo &demo, Field &field, size_t offset, bool shown) {
  cell<T>(demo, field, "offset_" + std::to_string(offset), 1, offset, shown);
}

} // namespace

void show_strides(lab::Demo &demo) {
  Field field(demo.seed());
  head(demo, "stride, B");
  for (size_t bytes = 4; bytes <= 8192; bytes *= 2) {
    demo.say("%9zu", bytes);
    stride_cell<unsigned>(demo, field, bytes);
    stride_cell<uint2>(demo, field, bytes);
    stride_cell<uint4>(demo, field, bytes);
    demo.say("\n");
  }
  demo.say("\nsectors: pieces of 32 bytes that one request of a warp moves · used: how much of\n"
           "them was asked for%s\n",
           lab::on_emulator() ? "" : " · GB/s: of what was asked for");
}

void show_offsets(lab::Demo &demo) {
  Field field(demo.seed());
  head(demo, "offset");
  for (size_t offset = 0; offset <= 32; ++offset) { // all are tried, some are shown
    const bool shown = offset == 1 || offset == 31 || offset % 4 == 0;
    if (shown)
      demo.say("%9zu", offset);
    offset_cell<unsigned>(demo, field, offset, shown);
    offset_cell<uint2>(demo, field, offset, shown);
    offset_cell<uint4>(demo, field, offset, shown);
    if (shown)
      demo.say("\n");
  }
  demo.say("\noffset: elements between a multiple of 256 bytes and the first one read\n");
}
