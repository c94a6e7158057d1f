#pragma once

#include "steps/team.hpp"

namespace demo_devices {

inline int peer_attribute(cudaDeviceP2PAttr attribute, int from, int to) {
  int value = 0;
  LAB_CHECK(cudaDeviceGetP2PAttribute(&value, attribute, from, to));
  return value;
}

inline void show_devices(lab::Demo &demo, int count) {
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    LAB_CHECK(cudaGetDeviceProperties(&properties, device));
    char bus[32];
    LAB_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
    demo.say("device %d   %s", device, bus);
    if (!lab::on_emulator())
      demo.say("   %s   %d multiprocessors   %s",
               properties.name,
               properties.multiProcessorCount,
               lab::size_text(static_cast<double>(properties.totalGlobalMem)).c_str());
    demo.say("\n");
  }
}

// Who may load from and store to whose memory, and whether atomics work there, too.
inline void show_access(lab::Demo &demo, int count) {
  demo.say("\nrow reaches column: . itself, - not at all, + loads and stores, * atomics as well\n\n"
           "     ");
  for (int to = 0; to < count; ++to)
    demo.say("%3d", to);
  int direct = 0, atomics = 0;
  for (int from = 0; from < count; ++from) {
    demo.say("\n  %3d", from);
    for (int to = 0; to < count; ++to) {
      const bool reaches =
          from != to && peer_attribute(cudaDevP2PAttrAccessSupported, from, to) != 0;
      const bool native = reaches && peer_attribute(cudaDevP2PAttrNativeAtomicSupported, from, to);
      int can = 0;
      if (from != to) {
        LAB_CHECK(cudaDeviceCanAccessPeer(&can, from, to));
        demo.expect(reaches == (can != 0), "both ways to ask give one answer");
      }
      direct += reaches;
      atomics += native;
      demo.say("  %c", from == to ? '.' : native ? '*' : reaches ? '+' : '-');
    }
  }
  demo.say("\n");
  demo.value("devices", count);
  demo.value("pairs_direct", direct);
  demo.value("pairs_atomics", atomics);
}

// One space of addresses for all: a pointer says where it points.
inline void show_pointers(lab::Demo &demo, int count) {
  demo.say("\nA pointer knows its place (cudaPointerGetAttributes):\n\n");
  for (int device = 0; device < count; ++device) {
    const lab::DeviceBuffer<float> there = on_device<float>(device, 100);
    cudaPointerAttributes attributes;
    LAB_CHECK(cudaPointerGetAttributes(&attributes, there.data()));
    demo.say("  allocated while device %d was current: on device %d\n", device, attributes.device);
    demo.expect(attributes.device == device, "memory lies on the device that was current");
  }
}

inline void run(lab::Demo &demo) {
  int count = 0;
  LAB_CHECK(cudaGetDeviceCount(&count));
  show_devices(demo, count);
  show_access(demo, count);
  show_pointers(demo, count);
}

} // namespace demo_devices
