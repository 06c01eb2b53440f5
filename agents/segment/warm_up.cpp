// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/executor.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>

#include "agents/segment/tensors.h"
#include "agents/segment/torch_compat.h"

namespace divisi::segment {
namespace {

/// Side length of the matrices. Products of this size occur in small segments, and the BLAS library divides them among
/// its threads.
constexpr std::int64_t side = 128;

}  // namespace

Result<void> warm_up(const std::string& device, int threads) {
    DIVISI_ASSIGN(const at::Device where, parse_device(device));
    if (const std::string problem = device_problem(where); !problem.empty())
        return Error{ErrorCode::unavailable, problem, "device '" + device + "'", "use device = \"cpu\""};
    set_threads(threads);
    const at::AutoGradMode record(true);
    const at::Tensor weight = at::full({side, side}, 0.5F, at::TensorOptions().device(where)).requires_grad_(true);
    run_backward({weight.matmul(weight).sum()}, {});
    wait_for(where);
    return {};
}

}  // namespace divisi::segment
