// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// One test_data_set_* of an ONNX backend test case. Tensors are in the order of the model's inputs and
/// outputs; names are as the files give them, often empty. A tensor of strings has dtype string and no bytes.
struct TestData {
    std::string name;
    std::vector<std::string> input_names;
    std::vector<graph::HostTensor> inputs;
    std::vector<std::string> output_names;
    std::vector<graph::HostTensor> outputs;
};

struct TestCase {
    std::string name;  ///< of the folder
    std::filesystem::path model;
    std::vector<TestData> data;
};

/// Folders at or below `folder` that hold a model.onnx, sorted. Fails (not_found) when there are none.
Result<std::vector<std::filesystem::path>> find_test_cases(const std::filesystem::path& folder);

/// Reads `folder`/test_data_set_*/{input,output}_*.pb. Fails with unsupported on sequences and optional
/// values, invalid_input on files that are no tensors.
Result<TestCase> load_test_case(const std::filesystem::path& folder);

/// Sizes of the graph's symbolic and unknown input dimensions under these inputs ("input.axis" where there
/// is no symbol). Fails (invalid_input) when the number of inputs differs, or a rank where a size is open.
Result<graph::Bindings> bindings_for(const graph::Graph& graph, const TestData& data);

}  // namespace divisi::onnx
