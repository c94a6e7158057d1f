// How libraries are told of what type their data are.
#pragma once

enum cudaDataType_t {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_C_16F = 6,
  CUDA_C_8I = 7,
  CUDA_R_8U = 8,
  CUDA_C_8U = 9,
  CUDA_R_32I = 10,
  CUDA_C_32I = 11,
  CUDA_R_32U = 12,
  CUDA_C_32U = 13,
  CUDA_R_16BF = 14,
  CUDA_C_16BF = 15,
  CUDA_R_16I = 20,
  CUDA_R_16U = 22,
  CUDA_R_64I = 24,
  CUDA_R_64U = 26,
  CUDA_R_8F_E4M3 = 28,
  CUDA_R_8F_E5M2 = 29
};
using cudaDataType = cudaDataType_t;

enum libraryPropertyType_t { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL };
using libraryPropertyType = libraryPropertyType_t;

/// Of floating point that tensor cores put together from integers; no call here does so.
enum cudaEmulationStrategy_t {
  CUDA_EMULATION_STRATEGY_DEFAULT,
  CUDA_EMULATION_STRATEGY_PERFORMANT,
  CUDA_EMULATION_STRATEGY_EAGER
};
using cudaEmulationStrategy = cudaEmulationStrategy_t;
enum cudaEmulationMantissaControl_t {
  CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC,
  CUDA_EMULATION_MANTISSA_CONTROL_FIXED
};
using cudaEmulationMantissaControl = cudaEmulationMantissaControl_t;
