// Copies that a group makes together. Here they are complete when they return.
#pragma once

#include "../cooperative_groups.h"
#include "../emu/groups/group_copies.hpp"
