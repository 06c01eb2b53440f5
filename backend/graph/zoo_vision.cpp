// SPDX-License-Identifier: Apache-2.0
// Convolutional models: LeNet-5 (LeCun et al. 1998, with ReLU and max pooling) and ResNet-18 (He et al. 2015).
#include <cmath>

#include "backend/graph/zoo_builder.h"

namespace divisi::graph {

namespace {

using Ints = std::vector<std::int64_t>;

struct Convolution {
    std::int64_t in, out, kernel, stride = 1, padding = 0;

    ZooBuilder::Attributes attributes() const {
        return {{"kernel_shape", Ints{kernel, kernel}},
                {"strides", Ints{stride, stride}},
                {"pads", Ints(4, padding)},
                {"dilations", Ints{1, 1}},
                {"group", std::int64_t{1}}};
    }
    Ints weight_dims() const { return {out, in, kernel, kernel}; }
};

/// Adds a convolution with bias and PyTorch's default initialization.
ValueIndex convolution(ZooBuilder& b, ValueIndex x, const std::string& name, const Convolution& c) {
    const RandomInit init = uniform(1.0 / std::sqrt(static_cast<double>(c.in * c.kernel * c.kernel)));
    const ValueIndex w = b.weight(name + ".weight", c.weight_dims(), init);
    const ValueIndex bias = b.weight(name + ".bias", {c.out}, init);
    return b.op("Conv", {x, w, bias}, c.attributes());
}

ValueIndex max_pool(ZooBuilder& b, ValueIndex x, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
    return b.op(
        "MaxPool", {x},
        {{"kernel_shape", Ints{kernel, kernel}}, {"strides", Ints{stride, stride}}, {"pads", Ints(4, padding)}});
}

/// Adds a convolution without bias, then batch normalization in training mode. Outputs 1 and 2 are the updated running
/// statistics of inputs 3 and 4. Initializes weights as torchvision does: normal, fan-out, gain of ReLU.
ValueIndex conv_norm(ZooBuilder& b, ValueIndex x, const std::string& module, const std::string& conv,
                     const std::string& norm, const Convolution& c) {
    const double fan_out = static_cast<double>(c.out * c.kernel * c.kernel);
    {
        const ZooBuilder::Scope scope(b, conv);
        const ValueIndex w = b.weight(module + conv + ".weight", c.weight_dims(), normal(std::sqrt(2.0 / fan_out)));
        x = b.op("Conv", {x, w}, c.attributes());
    }
    const ZooBuilder::Scope scope(b, norm);
    const std::string prefix = module + norm;
    const ValueIndex scale = b.weight(prefix + ".weight", {c.out}, ones());
    const ValueIndex shift = b.weight(prefix + ".bias", {c.out}, zeros());
    const ValueIndex mean = b.weight(prefix + ".running_mean", {c.out}, zeros(), false);
    const ValueIndex variance = b.weight(prefix + ".running_var", {c.out}, ones(), false);
    // ONNX's momentum is the weight of the old statistics: 0.9 corresponds to PyTorch's 0.1.
    return b
        .ops("BatchNormalization", {x, scale, shift, mean, variance}, 3,
             {{"epsilon", 1e-5F}, {"momentum", 0.9F}, {"training_mode", std::int64_t{1}}})
        .front();
}

ValueIndex basic_block(ZooBuilder& b, ValueIndex x, const std::string& module, std::int64_t in, std::int64_t out,
                       std::int64_t stride) {
    ValueIndex y = conv_norm(b, x, module, "conv1", "bn1", {in, out, 3, stride, 1});
    y = b.op("Relu", {y});
    y = conv_norm(b, y, module, "conv2", "bn2", {out, out, 3, 1, 1});
    if (stride != 1 || in != out) {
        const ZooBuilder::Scope scope(b, "downsample");
        x = conv_norm(b, x, module + "downsample.", "0", "1", {in, out, 1, stride, 0});
    }
    return b.op("Relu", {b.op("Add", {y, x})});
}

}  // namespace

Result<void> build_lenet(ZooBuilder& b, const ZooSizes& sizes) {
    const std::int64_t image = sizes.at("image"), channels = sizes.at("channels");
    ValueIndex x = b.input("input", DType::float32, {channels, image, image});
    {
        const ZooBuilder::Scope scope(b, "conv1");
        x = convolution(b, x, "conv1", {channels, 6, 5, 1, 2});
        x = max_pool(b, b.op("Relu", {x}), 2, 2, 0);
    }
    {
        const ZooBuilder::Scope scope(b, "conv2");
        x = convolution(b, x, "conv2", {6, 16, 5});
        x = max_pool(b, b.op("Relu", {x}), 2, 2, 0);
        x = b.op("Flatten", {x}, {{"axis", std::int64_t{1}}});
    }
    const std::int64_t side = (image / 2 - 4) / 2;
    const std::int64_t widths[] = {16 * side * side, 120, 84};
    for (int i = 0; i < 2; ++i) {
        const std::string name = "fc" + std::to_string(i + 1);
        const ZooBuilder::Scope scope(b, name);
        x = b.op("Relu", {b.linear(x, name, widths[i], widths[i + 1])});
    }
    const ZooBuilder::Scope scope(b, "fc3");
    b.output(b.linear(x, "fc3", widths[2], sizes.at("classes")), "logits");
    return {};
}

Result<void> build_resnet18(ZooBuilder& b, const ZooSizes& sizes) {
    const std::int64_t image = sizes.at("image"), channels = sizes.at("channels"), width = sizes.at("width");
    ValueIndex x = b.input("input", DType::float32, {channels, image, image});
    x = conv_norm(b, x, "", "conv1", "bn1", {channels, width, 7, 2, 3});
    x = b.op("Relu", {x});
    x = max_pool(b, x, 3, 2, 1);
    std::int64_t in = width;
    for (std::int64_t stage = 0; stage < 4; ++stage) {
        const std::int64_t out = width << stage;
        const std::string layer = "layer" + std::to_string(stage + 1);
        const ZooBuilder::Scope layer_scope(b, layer);
        for (std::int64_t block = 0; block < 2; ++block) {
            const std::string index = std::to_string(block);
            const ZooBuilder::Scope scope(b, index);
            const std::string module = layer + "." + index + ".";
            x = basic_block(b, x, module, in, out, stage > 0 && block == 0 ? 2 : 1);
            in = out;
        }
    }
    x = b.op("GlobalAveragePool", {x});
    x = b.op("Flatten", {x}, {{"axis", std::int64_t{1}}});
    const ZooBuilder::Scope scope(b, "fc");
    b.output(b.linear(x, "fc", in, sizes.at("classes")), "logits");
    return {};
}

}  // namespace divisi::graph
