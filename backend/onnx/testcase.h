// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// One test_data_set_* of an ONNX backend test case. Tensors are in the order of the model's inputs and outputs. Names
/// come from the files and are often empty. A tensor of strings has dtype string and no bytes.
struct TestData {
    std::string name;
    std::vector<std::string> input_names;
    std::vector<graph::HostTensor> inputs;
    std::vector<std::string> output_names;
    std::vector<graph::HostTensor> outputs;
};

struct TestCase {
    std::string name;  ///< name of the folder
    std::filesystem::path model;
    std::vector<TestData> data;
};

/// Returns the folders at or below `folder` that contain a model.onnx, sorted. Fails (not_found) if there are no test
/// cases.
Result<std::vector<std::filesystem::path>> find_test_cases(const std::filesystem::path& folder);

/// Reads `folder`/test_data_set_*/{input,output}_*.pb. Fails with unsupported on sequences and optional values, and
/// with invalid_input on files that are not tensors.
Result<TestCase> load_test_case(const std::filesystem::path& folder);

/// Returns the sizes of the graph's symbolic and unknown input dimensions for these inputs, keyed by symbol, or by
/// "input.axis" if there is no symbol. Fails (invalid_input) if the number of inputs differs, or if an input with an
/// open size has another rank.
Result<graph::Bindings> bindings_for(const graph::Graph& graph, const TestData& data);

}  // namespace divisi::onnx
