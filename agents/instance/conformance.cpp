// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/conformance.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>

#include "agents/segment/executor.h"
#include "backend/graph/shapes.h"
#include "backend/onnx/import.h"
#include "backend/onnx/testcase.h"

namespace divisi::instance {

using graph::HostTensor;

namespace {

constexpr double relative_tolerance = 1e-3;
constexpr double absolute_tolerance = 1e-5;
/// bfloat16 keeps 8 bits, so that neighbouring numbers lie further apart than the tolerance: one step is allowed,
/// since older cases were cut off where the operator rounds.
constexpr double bfloat16_tolerance = 1.0 / 128;

CaseResult wrong(std::string reason) { return {Verdict::wrong, std::move(reason)}; }

const char* to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::passed: return "passed";
        case Verdict::unsupported: return "unsupported";
        case Verdict::wrong: break;
    }
    return "wrong";
}

std::string shape_text(const HostTensor& tensor) {
    std::string text = std::string(graph::name(tensor.dtype)) + "[";
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) text += (i ? "," : "") + std::to_string(tensor.dims[i]);
    return text + "]";
}

/// The same values without strides.
HostTensor row_major(const HostTensor& tensor) {
    if (tensor.strides.empty()) return tensor;
    const auto count = tensor.element_count(), width = graph::element_size(tensor.dtype);
    std::vector<std::byte> bytes(static_cast<std::size_t>(count * width));
    std::vector<std::int64_t> at(tensor.dims.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto from = std::inner_product(at.begin(), at.end(), tensor.strides.begin(), std::int64_t{0});
        std::memcpy(bytes.data() + i * width, tensor.data + from * width, static_cast<std::size_t>(width));
        for (std::size_t axis = at.size(); axis-- > 0 && ++at[axis] == tensor.dims[axis];) at[axis] = 0;
    }
    return HostTensor::copy_of(tensor.dtype, tensor.dims, bytes);
}

bool close(double found, double expected, double tolerance) {
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
    if (std::isinf(expected) || std::isinf(found)) return expected == found;
    return std::abs(found - expected) <= absolute_tolerance + tolerance * std::abs(expected);
}

/// Empty, or the first difference.
std::string difference(const std::string& name, const HostTensor& found, const HostTensor& expected) {
    if (found.dtype != expected.dtype || found.dims != expected.dims)
        return "output '" + name + "' is " + shape_text(found) + " where " + shape_text(expected) + " is expected";
    const HostTensor a = row_major(found), b = row_major(expected);
    const bool real = graph::is_floating(a.dtype);
    const double tolerance = a.dtype == graph::DType::bfloat16 ? bfloat16_tolerance : relative_tolerance;
    for (std::int64_t i = 0; i < a.element_count(); ++i) {
        const bool same = real ? close(a.number_at(i), b.number_at(i), tolerance) : a.integer_at(i) == b.integer_at(i);
        if (same) continue;
        const auto text = [&](const HostTensor& t) {
            return real ? std::to_string(t.number_at(i)) : std::to_string(t.integer_at(i));
        };
        return "output '" + name + "' is " + text(a) + " at " + std::to_string(i) + " where " + text(b) +
               " is expected";
    }
    return "";
}

/// Older cases carry bfloat16 in tensors of uint16, having no other type for it.
HostTensor as_declared(HostTensor tensor, const graph::Value& value) {
    if (value.dtype == graph::DType::bfloat16 && tensor.dtype == graph::DType::uint16) tensor.dtype = value.dtype;
    return tensor;
}

CaseResult check_data(graph::Graph graph, onnx::TestData data) {
    auto bindings = onnx::bindings_for(graph, data);
    if (!bindings) return wrong(bindings.error().message());
    if (auto bound = graph::infer_shapes(graph, *bindings); !bound) return wrong(bound.error().message());

    for (std::size_t i = 0; i < data.inputs.size(); ++i)
        data.inputs[i] = as_declared(data.inputs[i], graph.values[graph.inputs[i]]);

    segment::SegmentConfig config;
    config.inputs = graph.inputs;
    config.outputs = graph.outputs;
    config.nodes.resize(graph.nodes.size());
    std::iota(config.nodes.begin(), config.nodes.end(), 0);
    config.graph = std::make_shared<const graph::Graph>(std::move(graph));
    const auto read_weight = [](const graph::Initializer&) -> Result<HostTensor> {
        return Error{ErrorCode::not_found, "an initializer without data", "", ""};
    };
    auto executor = segment::make_executor(config, read_weight);
    if (!executor) return wrong(executor.error().message());
    // In training mode, since test cases say training_mode themselves where they mean it.
    auto outputs = (*executor)->forward(0, 0, data.inputs);
    if (!outputs) return wrong(outputs.error().message());
    if (outputs->size() != data.outputs.size())
        return wrong(std::to_string(outputs->size()) + " outputs where " + std::to_string(data.outputs.size()) +
                     " are expected");
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        const auto& value = config.graph->values[config.outputs[i]];
        if (auto text = difference(value.name, (*outputs)[i], as_declared(data.outputs[i], value)); !text.empty())
            return wrong(data.name + ": " + text);
    }
    return {Verdict::passed, ""};
}

/// One letter and the reason, as the child writes it.
std::string encode(const CaseResult& result) { return std::string(1, to_string(result.verdict)[0]) + result.reason; }

CaseResult decode(const std::string& text) {
    for (const Verdict verdict : {Verdict::passed, Verdict::unsupported, Verdict::wrong})
        if (text[0] == to_string(verdict)[0]) return {verdict, text.substr(1)};
    return wrong("said nothing that can be read");
}

/// Reads until the other end closes; false at the deadline.
bool read_until_end(int descriptor, int timeout_ms, std::string& text) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return false;
        pollfd poll_one{descriptor, POLLIN, 0};
        if (::poll(&poll_one, 1, static_cast<int>(left)) <= 0) continue;
        const auto count = ::read(descriptor, buffer.data(), buffer.size());
        if (count == 0) return true;
        if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

[[noreturn]] void run_as_child(const std::filesystem::path& folder, int descriptor) {
    std::string text;
    try {
        text = encode(check_case(folder));
    } catch (const std::exception& error) {
        text = encode(wrong(error.what()));
    }
    const char* next = text.data();
    for (std::size_t left = text.size(); left > 0;) {
        const auto count = ::write(descriptor, next, left);
        if (count <= 0) break;
        next += count;
        left -= static_cast<std::size_t>(count);
    }
    ::_exit(0);
}

CaseResult check_in_child(const std::filesystem::path& folder, int timeout_ms) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return wrong(std::string("no pipe for it: ") + std::strerror(errno));
    const pid_t child = ::fork();
    if (child < 0) {
        ::close(ends[0]);
        ::close(ends[1]);
        return wrong(std::string("no process for it: ") + std::strerror(errno));
    }
    if (child == 0) {
        ::close(ends[0]);
        run_as_child(folder, ends[1]);
    }
    ::close(ends[1]);
    std::string text;
    const bool ended = read_until_end(ends[0], timeout_ms, text);
    ::close(ends[0]);
    if (!ended) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!ended) return wrong("not finished after " + std::to_string(timeout_ms) + " ms");
    if (WIFSIGNALED(status)) return wrong(std::string("died: ") + ::strsignal(WTERMSIG(status)));
    return text.empty() ? wrong("ended without a result") : decode(text);
}

void print_case(std::ostream& out, bool json, const std::string& name, const CaseResult& result) {
    if (json) {
        nlohmann::ordered_json line{{"case", name}, {"result", to_string(result.verdict)}};
        if (!result.reason.empty()) line["reason"] = result.reason;
        out << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    } else {
        out << to_string(result.verdict) << ' ' << name << (result.reason.empty() ? "" : ": ") << result.reason << '\n';
    }
}

}  // namespace

CaseResult check_case(const std::filesystem::path& folder) {
    auto graph = onnx::import_model(folder / "model.onnx");
    if (!graph) {
        const bool refused = graph.error().code == ErrorCode::unsupported;
        return {refused ? Verdict::unsupported : Verdict::wrong, graph.error().message()};
    }
    auto test = onnx::load_test_case(folder);
    if (!test) return wrong(test.error().message());
    if (test->data.empty()) return wrong("holds no test_data_set_*");
    for (const auto& data : test->data)
        if (auto result = check_data(*graph, data); result.verdict != Verdict::passed) return result;
    return {Verdict::passed, ""};
}

int run_conformance(const ConformanceOptions& options, std::ostream& out) {
    const auto cases = onnx::find_test_cases(options.folder);
    if (!cases) {
        print_case(out, options.json, options.folder.string(), wrong(cases.error().message()));
        return 2;
    }
    std::array<int, 3> totals{};
    for (const auto& folder : *cases) {
        out.flush();
        const auto result = check_in_child(folder, options.case_timeout_ms);
        ++totals[static_cast<std::size_t>(result.verdict)];
        print_case(out, options.json, folder.lexically_relative(options.folder).string(), result);
    }
    const auto [passed, unsupported, wrong_cases] = totals;
    if (options.json)
        out << nlohmann::ordered_json{{"passed", passed}, {"unsupported", unsupported}, {"wrong", wrong_cases}}.dump()
            << std::endl;
    else out << passed << " passed, " << unsupported << " unsupported, " << wrong_cases << " wrong" << std::endl;
    return wrong_cases == 0 ? 0 : 1;
}

}  // namespace divisi::instance
