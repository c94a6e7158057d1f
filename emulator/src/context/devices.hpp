/// \file
/// Which devices there are, which one a host thread works with, and who may reach whose memory.
///
/// All of them are the same model. What belongs to a device says so by its number: an allocation, a
/// stream, an event, an error that has ruined a context. A program with one device pays nothing.
#pragma once

#include <cstddef>

namespace emu {

constexpr int most_devices = 16;

/// How many there are: EMU_DEVICES, else what the program has asked for, else 1. The first call
/// decides; a bad EMU_DEVICES ends the program.
int device_count();
/// The same, but the program may still ask for others.
int device_count_so_far();
/// How many CUDA speaks of: fewer while EMU_DEVICES says fewer than at first.
int devices_to_see();
inline bool valid_device(int device) { return device >= 0 && device < device_count(); }
inline bool several_devices() { return device_count() > 1; }

/// What all allocations of a device together may take, in bytes: half of the host's physical memory, in equal shares,
/// or what EMU_MEMORY_GB says, asked anew, too.
size_t device_memory();

/// The bus that a device has to itself.
inline int pci_bus(int device) { return device; }

/// The one that this host thread has chosen (cudaSetDevice).
extern constinit thread_local int current_device;
/// The one whose kernel is running, or has run last; changes between launches only.
extern int running_device;

/// Whether a device can be let reach another one's memory: unless EMU_PEERS=0, or 2 and it has the greater number, or
/// pairs as in 1:0,2:1 (1 reaches 0, 2 reaches 1) and this is none of them.
bool can_reach(int device, int other);
/// Whether kernels of a device may follow pointers to another's memory from here on. \return whether
/// they did before
bool let_reach(int device, int other, bool may);
/// Whether kernels of a device may follow pointers to the other one's memory.
bool may_reach(int device, int other);
/// The same for memory of the other one's pool, which the access between devices does not open.
bool may_reach_pool(int device, int owner);
void let_reach_pool(int device, int owner, bool may);
/// What cudaDeviceReset forgets of a device: the access that it was given, and that to it.
void forget_peers(int device);

} // namespace emu
