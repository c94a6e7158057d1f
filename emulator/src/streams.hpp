// Streams and events behind their handles.
#pragma once

namespace emu {

constexpr int least_stream_priority = 0;
constexpr int greatest_stream_priority = -5;

/// Part of cudaDeviceReset.
void destroy_streams_and_events();

} // namespace emu
