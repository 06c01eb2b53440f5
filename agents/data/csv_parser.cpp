// SPDX-License-Identifier: Apache-2.0
#include "agents/data/csv_parser.h"

#include <algorithm>
#include <span>

namespace divisi::data {

namespace {

constexpr std::size_t chunk_bytes = 1 << 18;
constexpr std::size_t max_field_bytes = 1 << 16;  // an unclosed quote must not swallow a large file
constexpr std::size_t max_fields = 1 << 16;

class Parser {
public:
    Parser(const std::string& path, const CsvRecord& record) : path_(path), record_(record) {}

    Result<void> feed(char c) {
        switch (state_) {
            case State::field_start:
                if (c == '"') {
                    state_ = State::quoted;
                    quote_line_ = line_;
                    return {};
                }
                state_ = State::plain;
                return plain(c);
            case State::plain: return plain(c);
            case State::quoted: return quoted(c);
            case State::after_quote:
                if (c == '"') {
                    state_ = State::quoted;
                    return append(c);
                }
                if (c != ',' && c != '\n' && c != '\r')
                    return fail(line_, "text behind a closing quote", "double the quotes inside a quoted field");
                state_ = State::plain;
                return plain(c);
        }
        return {};
    }

    Result<void> finish() {
        if (state_ == State::quoted) return fail(quote_line_, "a quoted field is not closed", "add the closing quote");
        if (state_ == State::field_start && fields_.empty()) return {};
        return end_record();
    }

private:
    enum class State { field_start, plain, quoted, after_quote } state_ = State::field_start;

    Result<void> fail(std::int64_t line, std::string what, std::string next) const {
        return Error{ErrorCode::invalid_input, std::move(what), path_ + ":" + std::to_string(line), std::move(next)};
    }

    Result<void> append(char c) {
        if (field_.size() == max_field_bytes)
            return fail(start_line_, "a field of more than 64 KiB", "is a quote missing?");
        field_ += c;
        return {};
    }

    Result<void> plain(char c) {
        if (c == '\r') return {};  // of CRLF
        if (c == '\n') {
            DIVISI_TRY(end_record());
            start_line_ = ++line_;
            return {};
        }
        if (c == ',') return end_field();
        return append(c);
    }

    Result<void> quoted(char c) {
        if (c == '"') {
            state_ = State::after_quote;
            return {};
        }
        if (c == '\n') ++line_;
        return append(c);
    }

    Result<void> end_field() {
        if (fields_.size() == max_fields) return fail(start_line_, "more than 65536 fields", "is this a CSV file?");
        fields_.push_back(std::move(field_));
        field_.clear();
        state_ = State::field_start;
        return {};
    }

    Result<void> end_record() {
        const bool empty_line = fields_.empty() && field_.empty();
        DIVISI_TRY(end_field());
        if (!empty_line) DIVISI_TRY(record_(start_line_, fields_));
        fields_.clear();
        return {};
    }

    const std::string& path_;
    const CsvRecord& record_;
    std::int64_t line_ = 1;
    std::int64_t start_line_ = 1;
    std::int64_t quote_line_ = 1;
    std::string field_;
    std::vector<std::string> fields_;
};

}  // namespace

Result<void> parse_csv(const File& file, const CsvRecord& record) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    Parser parser(file.path(), record);
    std::string chunk;
    for (std::int64_t at = 0; at < file.size(); at += static_cast<std::int64_t>(chunk_bytes)) {
        chunk.resize(std::min(chunk_bytes, static_cast<std::size_t>(file.size() - at)));
        DIVISI_TRY(file.read(at, std::as_writable_bytes(std::span(chunk))));
        std::string_view text = chunk;
        if (at == 0 && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
        for (const char c : text) DIVISI_TRY(parser.feed(c));
    }
    return parser.finish();
}

}  // namespace divisi::data
