// SPDX-License-Identifier: Apache-2.0
// Used only by the zoo's models (zoo_*.cpp). Other code includes zoo.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/graph/graph.h"
#include "backend/graph/zoo.h"

namespace divisi::graph {

/// Builds a graph as an exporter would write it. Nodes are named by scope and operator ("/layers/0/attn/MatMul", and
/// "/layers/0/attn/MatMul_1" for a second MatMul in that scope). Values are named by their node, and weights by module.
class ZooBuilder {
public:
    using Attributes = std::map<std::string, Attribute>;

    explicit ZooBuilder(std::string model_name) { graph_.name = std::move(model_name); }

    /// Adds an input whose first dimension is the symbol "batch", followed by `dims`.
    ValueIndex input(const std::string& name, DType dtype, const std::vector<std::int64_t>& dims);
    ValueIndex weight(const std::string& name, const std::vector<std::int64_t>& dims, RandomInit random,
                      bool trainable = true);
    ValueIndex constant(const std::string& name, HostTensor tensor);
    /// Returns a constant int64 vector. Equal contents share one constant, which is named after its contents.
    ValueIndex integers(const std::vector<std::int64_t>& values);
    ValueIndex scalar(const std::string& name, float value);

    /// Adds a node in the current scope and returns its first output.
    ValueIndex op(const std::string& type, std::vector<ValueIndex> inputs, Attributes attributes = {});
    std::vector<ValueIndex> ops(const std::string& type, std::vector<ValueIndex> inputs, std::size_t outputs,
                                Attributes attributes = {});
    void output(ValueIndex value, const std::string& name);

    /// Maps [rows, in] -> [rows, out] by one Gemm with a weight [out, in] and a bias [out].
    ValueIndex linear(ValueIndex x, const std::string& name, std::int64_t in, std::int64_t out, RandomInit weight_init,
                      RandomInit bias_init);
    /// Adds the same layer with PyTorch's default initialization: uniform within 1/sqrt(in).
    ValueIndex linear(ValueIndex x, const std::string& name, std::int64_t in, std::int64_t out);
    ValueIndex layer_norm(ValueIndex x, const std::string& name, std::int64_t width, float epsilon);
    ValueIndex reshape(ValueIndex x, const std::vector<std::int64_t>& target) {
        return op("Reshape", {x, integers(target)});
    }

    Graph& graph() { return graph_; }

    /// While an object of this class exists, new nodes are named below `part`.
    class Scope {
    public:
        Scope(ZooBuilder& builder, const std::string& part) : builder_(builder), path_(builder.path_) {
            builder.path_ += "/" + part;
        }
        ~Scope() { builder_.path_ = path_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        ZooBuilder& builder_;
        std::string path_;
    };

private:
    std::string fresh_node_name(const std::string& type);

    Graph graph_;
    std::string path_;
    std::map<std::string, int> used_names_;
    std::map<std::vector<std::int64_t>, ValueIndex> integers_;
};

RandomInit zeros();
RandomInit ones();
RandomInit normal(double deviation);
RandomInit uniform(double half_width);

// Build the models. The sizes must be complete and in range; sizes that do not fit together are an error.
Result<void> build_mlp(ZooBuilder& builder, const ZooSizes& sizes);
Result<void> build_multitask(ZooBuilder& builder, const ZooSizes& sizes);
Result<void> build_lenet(ZooBuilder& builder, const ZooSizes& sizes);
Result<void> build_resnet18(ZooBuilder& builder, const ZooSizes& sizes);
Result<void> build_gpt(ZooBuilder& builder, const ZooSizes& sizes);
Result<void> build_vit(ZooBuilder& builder, const ZooSizes& sizes);

}  // namespace divisi::graph
