#pragma once

#include "../cooperative_groups.h"
#include "../emu/groups/group_collectives.hpp"
