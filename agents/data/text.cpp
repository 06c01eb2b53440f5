// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "agents/data/file.h"
#include "agents/data/source.h"

namespace divisi::data {

namespace {

constexpr std::int64_t byte_values = 256;

/// Samples of a text: windows of context + 1 bytes from [begin, end) of a file. Their starts are `stride` bytes apart.
class TextSource final : public Source {
public:
    TextSource(std::shared_ptr<const File> file, std::int64_t begin, std::int64_t end, std::int64_t context,
               std::int64_t stride)
        : file_(std::move(file)),
          begin_(begin),
          context_(context),
          stride_(stride),
          size_((end - begin - context - 1) / stride + 1),
          columns_{{"input", graph::DType::int64, {context}},
                   {"tokens", graph::DType::int64, {context}},
                   {"target", graph::DType::int64, {context}}} {}

    std::int64_t size() const override { return size_; }
    const std::vector<Column>& columns() const override { return columns_; }
    std::int64_t classes() const override { return byte_values; }

    Result<Batch> gather(std::span<const std::int64_t> samples) const override {
        const auto context = static_cast<std::size_t>(context_);
        std::vector<std::byte> window(context + 1);
        std::vector<std::int64_t> tokens, targets;
        tokens.reserve(samples.size() * context);
        targets.reserve(samples.size() * context);
        for (const auto sample : samples) {
            DIVISI_TRY(file_->read(begin_ + sample * stride_, window));
            for (std::size_t i = 0; i < context; ++i) {
                tokens.push_back(std::to_integer<std::int64_t>(window[i]));
                targets.push_back(std::to_integer<std::int64_t>(window[i + 1]));
            }
        }
        const std::vector<std::int64_t> dims{static_cast<std::int64_t>(samples.size()), context_};
        Batch batch;
        batch.columns["tokens"] = take(graph::DType::int64, dims, std::move(tokens));
        batch.columns["input"] = batch.columns["tokens"];
        batch.columns["target"] = take(graph::DType::int64, dims, std::move(targets));
        return batch;
    }

private:
    std::shared_ptr<const File> file_;
    std::int64_t begin_;
    std::int64_t context_;
    std::int64_t stride_;
    std::int64_t size_;
    std::vector<Column> columns_;
};

Result<void> check_length(const File& file, std::int64_t length, std::int64_t context, const char* part) {
    if (length > context) return {};
    return Error{ErrorCode::invalid_input,
                 std::string("the ") + part + " part has " + std::to_string(length) + " bytes, but one window needs " +
                     std::to_string(context + 1) + " (context + 1)",
                 file.path(), "give a longer text or a smaller context"};
}

}  // namespace

Result<Parts> open_text(const DatasetSpec& spec) {
    if (spec.input_shape.size() != 1) {
        return Error{ErrorCode::invalid_input,
                     "text data is a sequence of bytes, but the model takes " + format_dims(spec.input_shape),
                     spec.path, "use a model with one token input, such as zoo:gpt"};
    }
    if (spec.classes > 0 && spec.classes < byte_values) {
        return Error{ErrorCode::invalid_input,
                     "text is read as bytes, but the model has only " + std::to_string(spec.classes) + " classes",
                     spec.path, "use a model with 256 classes"};
    }
    const std::int64_t context = spec.input_shape.front();
    DIVISI_ASSIGN(auto opened, File::open(spec.path));
    const auto file = std::make_shared<const File>(std::move(opened));
    const std::int64_t kept_back = validation_count(spec, file->size());
    const std::int64_t training_end = file->size() - kept_back;
    DIVISI_TRY(check_length(*file, training_end, context, "training"));

    Parts parts;
    parts.training = std::make_unique<TextSource>(file, 0, training_end, context, spec.once ? context : 1);
    // Validation windows do not overlap, so that each byte is predicted once.
    if (kept_back > 0) {
        DIVISI_TRY(check_length(*file, kept_back, context, "validation"));
        parts.validation = std::make_unique<TextSource>(file, training_end, file->size(), context, context);
    } else if (!spec.validation.empty()) {
        DIVISI_ASSIGN(auto held_out, File::open(spec.validation));
        DIVISI_TRY(check_length(held_out, held_out.size(), context, "validation"));
        const std::int64_t end = held_out.size();
        parts.validation =
            std::make_unique<TextSource>(std::make_shared<const File>(std::move(held_out)), 0, end, context, context);
    }
    return parts;
}

}  // namespace divisi::data
