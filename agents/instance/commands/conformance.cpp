// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/commands/commands.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>
#include <system_error>

#include "agents/segment/executor.h"
#include "backend/graph/shapes.h"
#include "backend/onnx/import.h"
#include "backend/onnx/testcase.h"

namespace divisi::instance {

using graph::HostTensor;

namespace {

constexpr double relative_tolerance = 1e-3;
constexpr double absolute_tolerance = 1e-5;
/// Relative distance between neighbouring bfloat16 values, which have 8 significant bits. A difference of one such
/// distance is allowed, because the operator rounds but the values in older test cases were truncated.
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

/// Returns the same values in row-major order.
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

/// Returns the first difference; empty if there is none.
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

/// Returns the tensor with the declared type. Older test cases store bfloat16 in tensors of uint16, because their
/// format had no type for bfloat16.
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
    // Run in training mode. A test case whose result depends on the mode sets the attribute training_mode.
    auto outputs = (*executor)->forward(1, 0, data.inputs);
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

/// Encodes a result as a worker writes it: one letter, the reason and a line end.
std::string encode(const CaseResult& result) {
    std::string line = to_string(result.verdict)[0] + result.reason;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line + '\n';
}

CaseResult decode(const std::string& line) {
    for (const Verdict verdict : {Verdict::passed, Verdict::unsupported, Verdict::wrong})
        if (!line.empty() && line[0] == to_string(verdict)[0]) return {verdict, line.substr(1)};
    return wrong("printed no readable result");
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const auto count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

[[noreturn]] void work(std::span<const std::filesystem::path> folders, int descriptor) {
    for (const auto& folder : folders) {
        CaseResult result;
        try {
            result = check_case(folder);
        } catch (const std::exception& error) {
            result = wrong(error.what());
        }
        if (!write_all(descriptor, encode(result))) break;
    }
    ::_exit(0);
}

/// A process that runs test cases one after another until one of them kills it.
class Worker {
public:
    Worker(std::span<const std::filesystem::path> folders, std::ostream& out) {
        out.flush();
        std::array<int, 2> ends{-1, -1};
        if (::pipe(ends.data()) == 0) child_ = ::fork();
        if (child_ == 0) {
            ::close(ends[0]);
            work(folders, ends[1]);
        }
        if (ends[1] >= 0) ::close(ends[1]);
        reading_ = ends[0];
    }
    ~Worker() { stop(); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    bool alive() const { return child_ > 0; }

    /// Returns the next case's result. If the process dies or the deadline passes, the worker is no longer alive.
    CaseResult next(int timeout_ms) {
        if (!alive()) return wrong("cannot start a process for the case: " + std::generic_category().message(errno));
        if (const auto line = read_line(timeout_ms)) return decode(*line);
        const bool ended = ended_;
        const int status = stop();
        if (!ended) return wrong("not finished after " + std::to_string(timeout_ms) + " ms");
        if (WIFSIGNALED(status)) return wrong(std::string("died: ") + ::strsignal(WTERMSIG(status)));
        return wrong("ended without a result");
    }

private:
    pid_t child_ = -1;
    int reading_ = -1;
    bool ended_ = false;  ///< whether the other end has closed the pipe
    std::string buffer_;

    /// Reads a line; none at the deadline and at the end of input.
    std::optional<std::string> read_line(int timeout_ms) {
        using Clock = std::chrono::steady_clock;
        const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
        for (;;) {
            if (const auto end = buffer_.find('\n'); end != std::string::npos) {
                std::string line = buffer_.substr(0, end);
                buffer_.erase(0, end + 1);
                return line;
            }
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
            if (left <= 0 || ended_) return std::nullopt;
            pollfd readable{reading_, POLLIN, 0};
            if (::poll(&readable, 1, static_cast<int>(left)) <= 0) continue;
            std::array<char, 4096> chunk{};
            const auto count = ::read(reading_, chunk.data(), chunk.size());
            ended_ = count == 0;
            if (count > 0) buffer_.append(chunk.data(), static_cast<std::size_t>(count));
        }
    }

    /// Returns the exit status of the process; kills it if it still runs.
    int stop() {
        if (reading_ >= 0) ::close(reading_);
        reading_ = -1;
        if (child_ <= 0) return 0;
        if (!ended_) ::kill(child_, SIGKILL);
        int status = 0;
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {}
        child_ = -1;
        return status;
    }
};

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
    std::unique_ptr<Worker> worker;
    for (std::size_t i = 0; i < cases->size(); ++i) {
        if (!worker || !worker->alive()) worker = std::make_unique<Worker>(std::span(*cases).subspan(i), out);
        const auto result = worker->next(options.case_timeout_ms);
        ++totals[static_cast<std::size_t>(result.verdict)];
        print_case(out, options.json, (*cases)[i].lexically_relative(options.folder).string(), result);
    }
    const auto [passed, unsupported, wrong_cases] = totals;
    if (options.json)
        out << nlohmann::ordered_json{{"passed", passed}, {"unsupported", unsupported}, {"wrong", wrong_cases}}.dump()
            << std::endl;
    else out << passed << " passed, " << unsupported << " unsupported, " << wrong_cases << " wrong" << std::endl;
    return wrong_cases == 0 ? 0 : 1;
}

}  // namespace divisi::instance
