// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/border.h"

#include <torch/csrc/autograd/functions/utils.h>

namespace divisi::segment {

BorderValue make_border(const at::Tensor& value) {
    BorderValue result{value.detach(), std::make_shared<Border>()};
    torch::autograd::set_history(result.tensor, result.border);
    return result;
}

}  // namespace divisi::segment
