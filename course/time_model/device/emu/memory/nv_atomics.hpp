// The atomic functions of nvcc's own namespace are not modelled.
#pragma once
