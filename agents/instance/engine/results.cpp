// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/results.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "backend/base/text.h"

namespace divisi::instance {
namespace {

using graph::HostTensor;

/// Appends the shortest text that reads back as the same number.
template <typename T>
void append_number(std::string& text, T value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text.append(digits, end);
}

/// Reads the numbers of a tensor by row, for any strides.
class Rows {
public:
    explicit Rows(const HostTensor& tensor)
        : flat_(tensor), dims_(tensor.dims.begin() + 1, tensor.dims.end()), strides_(tensor.strides) {
        flat_.strides.clear();
        if (strides_.empty()) {
            strides_.assign(tensor.dims.size(), 1);
            for (std::size_t i = strides_.size(); i-- > 1;) strides_[i - 1] = strides_[i] * tensor.dims[i];
        }
        for (const std::int64_t dim : dims_) width_ *= dim;
    }
    std::int64_t width() const { return width_; }
    std::int64_t last_dim() const { return dims_.empty() ? 1 : dims_.back(); }
    double number(std::int64_t row, std::int64_t index) const { return flat_.number_at(offset(row, index)); }
    void append(std::string& text, std::int64_t row, std::int64_t index) const {
        if (flat_.dtype == graph::DType::int64) append_number(text, flat_.integer_at(offset(row, index)));
        else if (flat_.dtype == graph::DType::float64) append_number(text, number(row, index));
        else append_number(text, static_cast<float>(number(row, index)));  // exact for float16 and bfloat16, too
    }

private:
    std::int64_t offset(std::int64_t row, std::int64_t index) const {
        std::int64_t at = row * strides_[0];
        for (std::size_t i = dims_.size(); i-- > 0; index /= dims_[i]) at += index % dims_[i] * strides_[i + 1];
        return at;
    }

    HostTensor flat_;  ///< the tensor's storage, read by offset
    std::vector<std::int64_t> dims_, strides_;
    std::int64_t width_ = 1;
};

/// The classification of one sample, which has a score for each class at each position.
struct Classified {
    std::string prediction, target;
    double loss = 0;  ///< mean of -log softmax(scores)[target] over the positions
    std::int64_t right = 0;
};

double negative_log_likelihood(const Rows& scores, std::int64_t row, std::int64_t first, std::int64_t classes,
                               double highest, std::int64_t target) {
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(scores.number(row, first + c) - highest);
    return highest + std::log(sum) - scores.number(row, first + target);
}

Result<Classified> classify(const Rows& scores, const Rows* labels, std::int64_t row) {
    const std::int64_t classes = scores.last_dim(), positions = scores.width() / classes;
    Classified found;
    for (std::int64_t position = 0; position < positions; ++position) {
        const std::int64_t first = position * classes;
        std::int64_t best = 0;
        for (std::int64_t c = 1; c < classes; ++c)
            if (scores.number(row, first + c) > scores.number(row, first + best)) best = c;
        if (position > 0) found.prediction += ' ';
        append_number(found.prediction, best);
        if (!labels) continue;
        const auto target = static_cast<std::int64_t>(labels->number(row, position));
        if (target < 0 || target >= classes)
            return Error{
                ErrorCode::invalid_input,
                "label " + std::to_string(target) + ", but the model has only " + std::to_string(classes) + " classes",
                "row " + std::to_string(row), "use a model with as many classes as the data"};
        if (position > 0) found.target += ' ';
        append_number(found.target, target);
        found.right += best == target;
        found.loss += negative_log_likelihood(scores, row, first, classes, scores.number(row, first + best), target) /
                      static_cast<double>(positions);
    }
    return found;
}

double squared_error(const Rows& values, const Rows& labels, std::int64_t row) {
    double sum = 0;
    for (std::int64_t i = 0; i < values.width(); ++i) {
        const double difference = values.number(row, i) - labels.number(row, i);
        sum += difference * difference;
    }
    return sum / static_cast<double>(values.width());
}

void append_row(std::string& text, const Rows& values, std::int64_t row) {
    for (std::int64_t i = 0; i < values.width(); ++i) {
        if (i > 0) text += ' ';
        values.append(text, row, i);
    }
}

Result<void> check_form(const HeadResult& head, plan::Loss kind, std::int64_t count) {
    const HostTensor& output = head.output;
    const bool rows = !output.dims.empty() && output.dims[0] >= count;
    const std::size_t least = kind == plan::Loss::cross_entropy ? 2 : 1;
    bool fits = rows && output.dims.size() >= least &&
                std::all_of(output.dims.begin(), output.dims.end(), [](std::int64_t dim) { return dim > 0; });
    if (fits && head.label) {
        std::vector<std::int64_t> wanted = output.dims;
        if (kind == plan::Loss::cross_entropy) wanted.pop_back();
        fits = head.label->dims == wanted;
    }
    if (fits) return {};
    return Error{ErrorCode::corrupt, "the outputs do not have the form that the plan states", "results of a batch",
                 "check that all nodes run the same version"};
}

std::string quoted_name(const std::string& name) {
    if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

}  // namespace

Score Results::Sums::score(plan::Loss kind) const {
    Score score{samples > 0 ? loss / static_cast<double>(samples) : 0};
    if (kind == plan::Loss::cross_entropy && positions > 0)
        score.accuracy = static_cast<double>(right) / static_cast<double>(positions);
    return score;
}

Results::Results(std::filesystem::path file, std::vector<plan::Loss> kinds, bool outputs)
    : file_(std::move(file)), kinds_(std::move(kinds)), outputs_(outputs), sums_(kinds_.size()) {}

Result<Results> Results::create(const std::filesystem::path& file, const std::vector<plan::Head>& heads, bool several,
                                bool labels, bool outputs) {
    std::vector<plan::Loss> kinds;
    std::string header = "sample";
    for (const plan::Head& head : heads) {
        kinds.push_back(head.kind);
        const auto add = [&](const char* name) {
            header += "," + quoted_name(several ? head.name + "." + name : std::string(name));
        };
        add("prediction");
        if (labels) add("target");
        if (labels) add("loss");
        if (outputs) add("output");
    }
    Results results(file, std::move(kinds), outputs);
    results.stream_.open(file, std::ios::binary | std::ios::trunc);
    results.stream_ << header << "\r\n";
    if (!results.stream_) return results.write_error();
    return results;
}

Result<std::vector<Score>> Results::add(const std::vector<HeadResult>& heads, std::int64_t count) {
    std::vector<Rows> outputs, labels;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        DIVISI_TRY(check_form(heads[i], kinds_[i], count));
        outputs.emplace_back(heads[i].output);
        if (heads[i].label) labels.emplace_back(*heads[i].label);
    }
    const bool labelled = !labels.empty();
    std::vector<Sums> here(heads.size());
    std::string line;
    for (std::int64_t row = 0; row < count; ++row, ++samples_) {
        line.clear();
        append_number(line, samples_);
        for (std::size_t i = 0; i < heads.size(); ++i) {
            const Rows* label = labelled ? &labels[i] : nullptr;
            double loss = 0;
            line += ',';
            if (kinds_[i] == plan::Loss::cross_entropy) {
                DIVISI_ASSIGN(const Classified found, classify(outputs[i], label, row));
                line += found.prediction;
                if (label) line += ',' + found.target;
                loss = found.loss;
                here[i].right += found.right;
                here[i].positions += label ? outputs[i].width() / outputs[i].last_dim() : 0;
            } else {
                append_row(line, outputs[i], row);
                if (label) append_row(line += ',', *label, row);
                if (label) loss = squared_error(outputs[i], *label, row);
            }
            if (label) append_number(line += ',', loss);
            if (outputs_) append_row(line += ',', outputs[i], row);
            here[i].loss += loss;
            ++here[i].samples;
            sums_[i].loss += loss;
        }
        stream_ << line << "\r\n";
    }
    if (!stream_) return write_error();
    std::vector<Score> scores;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        sums_[i].right += here[i].right;
        sums_[i].positions += here[i].positions;
        sums_[i].samples += here[i].samples;
        if (labelled) scores.push_back(here[i].score(kinds_[i]));
    }
    return scores;
}

std::vector<Score> Results::totals() const {
    std::vector<Score> scores;
    for (std::size_t i = 0; i < sums_.size(); ++i) scores.push_back(sums_[i].score(kinds_[i]));
    return scores;
}

Result<void> Results::close() {
    stream_.close();
    if (!stream_) return write_error();
    return {};
}

Error Results::write_error() const {
    return {ErrorCode::exhausted, "the results cannot be written", file_.string(), "free space on the node's disk"};
}

}  // namespace divisi::instance
