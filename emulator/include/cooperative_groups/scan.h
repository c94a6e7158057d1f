#pragma once

#include "../cooperative_groups.h"
#include "../emu/group_collectives.hpp"
