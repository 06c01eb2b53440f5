// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/zoo.h"

#include <algorithm>

#include "backend/graph/attention.h"
#include "backend/graph/error_texts.h"
#include "backend/graph/shapes.h"
#include "backend/graph/zoo_builder.h"

namespace divisi::graph {

namespace {

using BuildFunction = Result<void> (*)(ZooBuilder&, const ZooSizes&);

// The upper bounds keep every product of sizes far below 2^63, so that a typing error cannot request terabytes.
ZooSize layers(std::int64_t fallback) { return {"layers", fallback, 1, 1000, "number of layers or blocks"}; }
ZooSize width(std::int64_t fallback) { return {"width", fallback, 1, 65536, "features of a layer"}; }
ZooSize heads(std::int64_t fallback) { return {"heads", fallback, 1, 1024, "attention heads; divides width"}; }
ZooSize inputs(std::int64_t fallback) { return {"inputs", fallback, 1, 10'000'000, "features of a sample"}; }
ZooSize classes(std::int64_t fallback) { return {"classes", fallback, 1, 1'000'000, "outputs"}; }
ZooSize channels(std::int64_t fallback) { return {"channels", fallback, 1, 1024, "colour channels of an image"}; }
ZooSize image(std::int64_t fallback, std::int64_t least) {
    return {"image", fallback, least, 4096, "height and width of an image in pixels"};
}

std::vector<ZooModel> make_models() {
    return {
        {"mlp", "fully connected layers with ReLU", {inputs(784), layers(2), width(128), classes(10)}},
        {"lenet", "LeNet-5 for small images, with ReLU and max pooling", {image(28, 12), channels(1), classes(10)}},
        {"resnet18",
         "ResNet-18 with batch normalization; image 224, classes 1000 is the original",
         {image(32, 32), channels(3), {"width", 64, 1, 1024, "channels after the first convolution"}, classes(10)}},
        {"gpt",
         "GPT-2 style language model over bytes",
         {layers(6),
          width(192),
          heads(6),
          {"context", 128, 1, 8192, "tokens of a sample"},
          {"vocabulary", 256, 2, 1'000'000, "distinct tokens"},
          {"tied", 0, 0, 1, "1: input and output embedding are one weight"}}},
        {"vit",
         "vision transformer; image 224, patch 16, layers 12, width 768, heads 12, classes 1000 is ViT-B/16",
         {image(32, 4),
          {"patch", 8, 1, 256, "height and width of a patch; divides image"},
          channels(3),
          layers(4),
          width(128),
          heads(4),
          classes(10)}},
        {"multitask",
         "a shared backbone with one branch per task head",
         {inputs(32), layers(3), width(128), {"heads", 2, 1, 64, "task heads"}, classes(4)}},
    };
}

BuildFunction build_function(std::string_view name) {
    if (name == "mlp") return build_mlp;
    if (name == "lenet") return build_lenet;
    if (name == "resnet18") return build_resnet18;
    if (name == "gpt") return build_gpt;
    if (name == "vit") return build_vit;
    return build_multitask;
}

Error unknown_model(std::string_view name) {
    std::string known;
    for (const ZooModel& model : zoo_models()) known += (known.empty() ? "" : ", ") + model.name;
    return make_error(error_text("no-such-zoo-model"), "zoo:" + std::string(name), {known});
}

/// Returns all sizes of the model: the given sizes after a check, and defaults for missing sizes.
Result<ZooSizes> complete_sizes(const ZooModel& model, const ZooSizes& given) {
    const std::string where = "zoo:" + model.name;
    ZooSizes sizes;
    for (const ZooSize& size : model.sizes) sizes[size.name] = size.fallback;
    for (const auto& [name, value] : given) {
        const auto known = std::find_if(model.sizes.begin(), model.sizes.end(),
                                        [&, &n = name](const ZooSize& size) { return size.name == n; });
        if (known == model.sizes.end()) {
            std::string names;
            for (const ZooSize& size : model.sizes)
                names += (names.empty() ? "" : ", ") + size.name + " (" + std::to_string(size.fallback) + ")";
            return make_error(error_text("no-such-zoo-size"), where, {name, names});
        }
        if (value < known->least || value > known->most)
            return make_error(error_text("zoo-size-out-of-range"), where,
                              {name, std::to_string(value), known->meaning, std::to_string(known->least),
                               std::to_string(known->most)});
        sizes[name] = value;
    }
    return sizes;
}

}  // namespace

const std::vector<ZooModel>& zoo_models() {
    static const std::vector<ZooModel> models = make_models();
    return models;
}

Result<Graph> build_zoo(std::string_view name, const ZooSizes& sizes, std::int64_t batch) {
    if (name.starts_with("zoo:")) name.remove_prefix(4);
    const auto model = std::find_if(zoo_models().begin(), zoo_models().end(),
                                    [&](const ZooModel& candidate) { return candidate.name == name; });
    if (model == zoo_models().end()) return unknown_model(name);
    if (batch < 1)
        return make_error(error_text("zoo-model-without-rows"), "zoo:" + model->name, {std::to_string(batch)});
    DIVISI_ASSIGN(const ZooSizes complete, complete_sizes(*model, sizes));
    ZooBuilder builder(model->name);
    DIVISI_TRY(build_function(name)(builder, complete));
    Graph graph = std::move(builder.graph());
    DIVISI_TRY(graph.canonicalize());
    DIVISI_TRY(infer_shapes(graph, {{"batch", batch}}));
    fuse_attention(graph);
    return graph;
}

}  // namespace divisi::graph
