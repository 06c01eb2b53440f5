// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

const KernelTable& kernel_table() {
    static const KernelTable table = [] {
        KernelTable built;
        add_convolution_kernels(built);
        add_elementwise_kernels(built);
        add_gather_kernels(built);
        add_linear_kernels(built);
        add_logic_kernels(built);
        add_loss_kernels(built);
        add_normalization_kernels(built);
        add_pooling_kernels(built);
        add_quantize_kernels(built);
        add_recurrent_kernels(built);
        add_reduction_kernels(built);
        add_resize_kernels(built);
        add_set_kernels(built);
        add_shape_kernels(built);
        add_signal_kernels(built);
        add_source_kernels(built);
        return built;
    }();
    return table;
}

}  // namespace divisi::segment
