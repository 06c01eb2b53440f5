// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/graph/zoo.h"
#include "backend/onnx/export.h"

namespace divisi::testing {

/// Writes a graph as an ONNX file, with every weight filled with one value.
inline void write_onnx(const graph::Graph& graph, const QString& path) {
    onnx::ExportOptions options;
    options.weights = [&](std::size_t weight) -> Result<graph::HostTensor> {
        const graph::Value& value = graph.values[graph.initializers[weight].value];
        std::vector<std::int64_t> dims;
        std::int64_t count = 1;
        for (const graph::Dim& dim : *value.shape) {
            dims.push_back(dim.size);
            count *= dim.size;
        }
        return graph::HostTensor::of(value.dtype, dims, std::vector<float>(static_cast<std::size_t>(count), 0.5F));
    };
    if (const auto written = onnx::export_model(graph, path.toStdString(), options); !written.ok())
        qFatal("%s", written.error().message().c_str());
}

/// Writes lenet as an ONNX file, for any batch size or only for `fixed_batch` if that is not 0.
inline void write_lenet(const QString& path, std::int64_t fixed_batch = 0) {
    auto model = graph::build_zoo("lenet", {}, fixed_batch > 0 ? fixed_batch : 2);
    if (!model.ok()) qFatal("%s", model.error().message().c_str());
    if (fixed_batch > 0)
        for (const graph::ValueIndex input : model->inputs) model->values[input].shape->front().symbol.clear();
    write_onnx(*model, path);
}

}  // namespace divisi::testing
