// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/kernel_tools.h"

#include <ATen/ATen.h>

#include <stdexcept>

namespace divisi::segment {

namespace {

template <typename T>
const T& attribute_as(const graph::Attribute& attribute, std::string_view name) {
    if (const T* value = get_if<T>(&attribute)) return *value;
    throw std::invalid_argument("attribute '" + std::string(name) + "' has another type than its operator defines");
}

}  // namespace

const graph::Attribute* NodeReader::find(std::string_view attribute) const {
    const auto found = node_.attributes.find(std::string(attribute));
    return found == node_.attributes.end() ? nullptr : &found->second;
}

bool NodeReader::has_input(std::size_t slot) const {
    return slot < node_.inputs.size() && node_.inputs[slot] != graph::no_value;
}

bool NodeReader::has_output(std::size_t slot) const {
    return slot < node_.outputs.size() && node_.outputs[slot] != graph::no_value;
}

std::int64_t NodeReader::integer(std::string_view attribute, std::int64_t fallback) const {
    const auto* found = find(attribute);
    return found ? attribute_as<std::int64_t>(*found, attribute) : fallback;
}

double NodeReader::real(std::string_view attribute, double fallback) const {
    const auto* found = find(attribute);
    return found ? attribute_as<float>(*found, attribute) : fallback;
}

std::string NodeReader::text(std::string_view attribute, std::string fallback) const {
    const auto* found = find(attribute);
    return found ? attribute_as<std::string>(*found, attribute) : fallback;
}

std::optional<Ints> NodeReader::integers(std::string_view attribute) const {
    const auto* found = find(attribute);
    if (!found) return std::nullopt;
    return attribute_as<Ints>(*found, attribute);
}

std::optional<std::vector<double>> NodeReader::reals(std::string_view attribute) const {
    const auto* found = find(attribute);
    if (!found) return std::nullopt;
    const auto& values = attribute_as<std::vector<float>>(*found, attribute);
    return std::vector<double>(values.begin(), values.end());
}

std::optional<std::vector<std::string>> NodeReader::texts(std::string_view attribute) const {
    const auto* found = find(attribute);
    if (!found) return std::nullopt;
    return attribute_as<std::vector<std::string>>(*found, attribute);
}

const graph::HostTensor* NodeReader::tensor(std::string_view attribute) const {
    const auto* found = find(attribute);
    return found ? &attribute_as<graph::HostTensor>(*found, attribute) : nullptr;
}

const graph::HostTensor* NodeReader::constant(std::size_t slot) const {
    if (!has_input(slot)) return nullptr;
    const auto& value = graph_.values[node_.inputs[slot]];
    if (value.initializer < 0) return nullptr;
    const auto& initializer = graph_.initializers[value.initializer];
    return initializer.data && !initializer.trainable ? &*initializer.data : nullptr;
}

std::optional<Ints> NodeReader::constant_integers(std::size_t slot) const {
    const auto* data = constant(slot);
    if (!data || (!graph::is_integer(data->dtype) && data->dtype != graph::DType::boolean)) return std::nullopt;
    Ints result(static_cast<std::size_t>(data->element_count()));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = data->integer_at(static_cast<std::int64_t>(i));
    return result;
}

std::optional<double> NodeReader::constant_real(std::size_t slot) const {
    const auto* data = constant(slot);
    if (!data || !graph::is_floating(data->dtype) || !data->dims.empty()) return std::nullopt;
    return data->number_at(0);
}

std::optional<Ints> NodeReader::integers_or_input(std::string_view attribute, std::size_t slot) const {
    if (auto given = integers(attribute)) return given;
    return constant_integers(slot);
}

graph::DType NodeReader::input_dtype(std::size_t slot) const {
    return has_input(slot) ? graph_.values[node_.inputs[slot]].dtype : graph::DType::undefined;
}

graph::DType NodeReader::output_dtype(std::size_t slot) const {
    return has_output(slot) ? graph_.values[node_.outputs[slot]].dtype : graph::DType::undefined;
}

const at::Tensor& optional_input(const Tensors& inputs, std::size_t slot) {
    static const at::Tensor omitted;
    return slot < inputs.size() ? inputs[slot] : omitted;
}

Ints to_integers(const at::Tensor& tensor) {
    const auto flat = tensor.detach().to(at::kCPU, at::kLong).contiguous();
    const auto* data = flat.data_ptr<std::int64_t>();
    return {data, data + flat.numel()};
}

std::vector<double> to_reals(const at::Tensor& tensor) {
    const auto flat = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
    const auto* data = flat.data_ptr<double>();
    return {data, data + flat.numel()};
}

std::optional<Ints> IntegerList::at(const Tensors& inputs) const {
    if (constant_) return constant_;
    const auto& input = optional_input(inputs, slot_);
    if (!input.defined()) return std::nullopt;
    return to_integers(input);
}

std::int64_t positive_axis(std::int64_t axis, std::int64_t rank) {
    if (axis < -rank || axis >= rank)
        throw std::invalid_argument("axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) +
                                    " dimensions");
    return axis < 0 ? axis + rank : axis;
}

}  // namespace divisi::segment
