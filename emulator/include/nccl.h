/// \file
/// NCCL's interface: collective operations and messages between ranks.
///
/// A communicator's rank has one device; a call gives its part to a stream and waits until the other
/// ranks have given theirs: processes or threads, one for each rank, or one thread between
/// ncclGroupStart() and ncclGroupEnd(). Then all parts are done together, each in the order of its stream. Where NCCL
/// would wait for ever, because a rank never comes, the call fails and says which one is missing;
/// where ranks disagree about an operation, it fails and says how. Values are added rank by rank, in
/// the order of ranks: a GPU may add them in another one.
#pragma once

#include <stddef.h>

#include "cuda_runtime.h"

#define NCCL_MAJOR 2
#define NCCL_MINOR 20
#define NCCL_PATCH 5
#define NCCL_SUFFIX ""
#define NCCL_VERSION_CODE 22005
#define NCCL_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define NCCL_UNIQUE_ID_BYTES 128

struct ncclComm;
typedef ncclComm *ncclComm_t;

/// How a communicator is made. Of NCCL_CONFIG_INITIALIZER's values only `blocking` matters here.
struct ncclConfig_t {
  size_t size;
  unsigned int magic, version;
  int blocking; ///< 0: ncclCommInitRankConfig does not wait for the other ranks
  int cgaClusterSize, minCTAs, maxCTAs;
  const char *netName;
  int splitShare;
};
#define NCCL_CONFIG_UNDEF_INT (-2147483647 - 1)
#define NCCL_CONFIG_UNDEF_PTR nullptr
#define NCCL_CONFIG_INITIALIZER \
  { \
    sizeof(ncclConfig_t), 0xcafebeef, NCCL_VERSION_CODE, NCCL_CONFIG_UNDEF_INT, \
        NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_INT, \
        NCCL_CONFIG_UNDEF_PTR, NCCL_CONFIG_UNDEF_INT \
  }

struct ncclUniqueId {
  char internal[NCCL_UNIQUE_ID_BYTES];
};

enum ncclResult_t : unsigned int {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
  ncclNumResults = 8
};

enum ncclRedOp_t : unsigned int {
  ncclSum = 0,
  ncclProd = 1,
  ncclMax = 2,
  ncclMin = 3,
  ncclAvg = 4,
  ncclNumOps = 5
};

enum ncclDataType_t : unsigned int {
  ncclInt8 = 0,
  ncclChar = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclInt = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclHalf = 6,
  ncclFloat32 = 7,
  ncclFloat = 7,
  ncclFloat64 = 8,
  ncclDouble = 8,
  ncclBfloat16 = 9,
  ncclNumTypes = 10
};

// Communicators.
ncclResult_t ncclGetVersion(int *version);
/// Called by one rank, which sends it to all others.
ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
/// For the current device; waits for the other ranks.
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank);
/// The same. Where it does not block, it returns ncclInProgress while ranks are missing, and
/// ncclCommGetAsyncError says when they are there.
ncclResult_t ncclCommInitRankConfig(
    ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config);
/// One for each device, all at once. \param devices  null: 0, 1, 2, …
ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices);
ncclResult_t ncclCommFinalize(ncclComm_t comm);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
/// The same; ranks that wait for this one get an error.
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommCount(const ncclComm_t comm, int *count);
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device);
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error);
const char *ncclGetErrorString(ncclResult_t result);
/// What went wrong last in this program, in words. \param comm  may be null
const char *ncclGetLastError(ncclComm_t comm);

// Groups: what stands between is one operation; they may be nested.
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();

// Operations. Counts are in elements; send and receive buffers may be the same, as NCCL has it.
ncclResult_t ncclAllReduce(const void *send,
                           void *receive,
                           size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t operation,
                           ncclComm_t comm,
                           cudaStream_t stream);
ncclResult_t ncclReduce(const void *send,
                        void *receive,
                        size_t count,
                        ncclDataType_t type,
                        ncclRedOp_t operation,
                        int root,
                        ncclComm_t comm,
                        cudaStream_t stream);
ncclResult_t ncclBroadcast(const void *send,
                           void *receive,
                           size_t count,
                           ncclDataType_t type,
                           int root,
                           ncclComm_t comm,
                           cudaStream_t stream);
ncclResult_t ncclBcast(void *buffer,
                       size_t count,
                       ncclDataType_t type,
                       int root,
                       ncclComm_t comm,
                       cudaStream_t stream);
/// \param count  that each rank sends
ncclResult_t ncclAllGather(const void *send,
                           void *receive,
                           size_t count,
                           ncclDataType_t type,
                           ncclComm_t comm,
                           cudaStream_t stream);
/// \param count  that each rank receives
ncclResult_t ncclReduceScatter(const void *send,
                               void *receive,
                               size_t count,
                               ncclDataType_t type,
                               ncclRedOp_t operation,
                               ncclComm_t comm,
                               cudaStream_t stream);
ncclResult_t ncclSend(const void *send,
                      size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream);
ncclResult_t ncclRecv(void *receive,
                      size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream);
