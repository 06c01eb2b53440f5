// SPDX-License-Identifier: Apache-2.0
#include "agents/data/csv_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace divisi::data {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t chunk_bytes = 1 << 18;
constexpr std::size_t max_field_bytes = 1 << 16;  // stops parsing early if a quote of a large file is not closed
constexpr std::size_t max_fields = 1 << 16;
constexpr std::size_t max_record_bytes = 1 << 24;  // enough for 65,536 fields of 256 bytes

class Parser {
public:
    Parser(const std::string& path, const CsvRecord& record) : path_(path), record_(record) {}

    /// Parses the next piece of the file.
    Result<void> feed(std::string_view piece) {
        while (!piece.empty()) {
            // Most bytes of a file are plain text, so they are copied in runs.
            const std::size_t run = plain_run(piece);
            if (run > 0) {
                DIVISI_TRY(append(piece.substr(0, run)));
                piece.remove_prefix(run);
                continue;
            }
            DIVISI_TRY(take(piece.front()));
            piece.remove_prefix(1);
        }
        return {};
    }

    Result<void> finish() {
        if (state_ == State::quoted) return fail(quote_line_, "a quoted field is not closed", "add the closing quote");
        if (state_ == State::field_start && ends_.empty()) return {};
        return end_record();
    }

private:
    enum class State { field_start, plain, quoted, after_quote } state_ = State::field_start;

    Result<void> fail(std::int64_t line, std::string what, std::string next) const {
        return Error{ErrorCode::invalid_input, std::move(what), path_ + ":" + std::to_string(line), std::move(next)};
    }

    /// Returns the number of leading bytes that belong to a field unchanged.
    std::size_t plain_run(std::string_view piece) const {
        const auto run_until = [&](auto is_special) {
            return static_cast<std::size_t>(std::find_if(piece.begin(), piece.end(), is_special) - piece.begin());
        };
        if (state_ == State::quoted) return run_until([](char c) { return c == '"' || c == '\n' || c == '\0'; });
        if (state_ != State::plain) return 0;
        return run_until([](char c) { return c == ',' || c == '\n' || c == '\r' || c == '\0'; });
    }

    Result<void> take(char c) {
        if (c == '\0')
            return fail(line_, "contains a zero byte, which text in UTF-8 does not have",
                        "the file may be UTF-16, or not a CSV file; save it as UTF-8");
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
                    return append("\"");
                }
                if (c != ',' && c != '\n' && c != '\r')
                    return fail(line_, "text follows a closing quote", "double the quotes inside a quoted field");
                state_ = State::plain;
                return plain(c);
        }
        return {};
    }

    Result<void> append(std::string_view text) {
        if (text_.size() - field_begin() + text.size() > max_field_bytes)
            return fail(start_line_, "a field has more than 64 KiB", "add the closing quote if it is missing");
        if (text_.size() + text.size() > max_record_bytes)
            return fail(start_line_, "a record has more than 16 MiB", "check that this is a CSV file");
        text_ += text;
        return {};
    }

    Result<void> plain(char c) {
        if (c == '\r') return {};  // the CR of a CRLF; a CR without an LF is dropped, too
        if (c == '\n') {
            DIVISI_TRY(end_record());
            start_line_ = ++line_;
            return {};
        }
        if (c == ',') return end_field();
        return append({&c, 1});
    }

    Result<void> quoted(char c) {
        if (c == '"') {
            state_ = State::after_quote;
            return {};
        }
        if (c == '\n') ++line_;
        return append({&c, 1});
    }

    Result<void> end_field() {
        if (ends_.size() == max_fields)
            return fail(start_line_, "a record has more than 65536 fields", "check that this is a CSV file");
        ends_.push_back(text_.size());
        state_ = State::field_start;
        return {};
    }

    Result<void> end_record() {
        const bool empty_line = ends_.empty() && text_.empty();
        DIVISI_TRY(end_field());
        fields_.clear();
        for (std::size_t begin = 0; const std::size_t end : ends_) {
            fields_.push_back(std::string_view(text_).substr(begin, end - begin));
            begin = end;
        }
        if (!empty_line) DIVISI_TRY(record_(start_line_, fields_));
        text_.clear();
        ends_.clear();
        return {};
    }

    std::size_t field_begin() const { return ends_.empty() ? 0 : ends_.back(); }

    const std::string& path_;
    const CsvRecord& record_;
    std::int64_t line_ = 1;
    std::int64_t start_line_ = 1;
    std::int64_t quote_line_ = 1;
    std::string text_;               ///< fields of the record, without separators and enclosing quotes
    std::vector<std::size_t> ends_;  ///< end of each field in text_
    std::vector<std::string_view> fields_;
};

/// Refuses UTF-16 and UTF-32. UTF-32 comes first, because one of its byte order marks begins with a mark of UTF-16.
Result<void> check_encoding(const File& file, std::string_view begin) {
    constexpr std::pair<std::string_view, const char*> marks[] = {
        {"\xff\xfe\0\0"sv, "UTF-32"}, {"\0\0\xfe\xff"sv, "UTF-32"}, {"\xff\xfe"sv, "UTF-16"}, {"\xfe\xff"sv, "UTF-16"}};
    for (const auto& [mark, name] : marks) {
        if (!begin.starts_with(mark)) continue;
        return Error{ErrorCode::invalid_input, "is " + std::string(name) + " text, but CSV files are read as UTF-8",
                     file.path(), "save it as UTF-8: iconv -f " + std::string(name) + " -t UTF-8"};
    }
    return {};
}

/// From this value on, float64 cannot represent every whole number.
constexpr double most_whole = 9007199254740992.0;

std::string_view digits_of(std::string_view text) {
    text = trim(text);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    return text;
}

template <typename T>
std::from_chars_result read(std::string_view text, T& value) {
    return std::from_chars(text.data(), text.data() + text.size(), value);
}

}  // namespace

Result<void> parse_csv(const File& file, const CsvRecord& record) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    Parser parser(file.path(), record);
    std::string chunk;
    for (std::int64_t at = 0; at < file.size(); at += static_cast<std::int64_t>(chunk_bytes)) {
        chunk.resize(std::min(chunk_bytes, static_cast<std::size_t>(file.size() - at)));
        DIVISI_TRY(file.read(at, std::as_writable_bytes(std::span(chunk))));
        std::string_view text = chunk;
        if (at == 0) {
            DIVISI_TRY(check_encoding(file, text));
            if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
        }
        DIVISI_TRY(parser.feed(text));
    }
    return parser.finish();
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

Number parse_number(std::string_view text) {
    using Kind = Number::Kind;
    text = digits_of(text);
    if (text.empty()) return {Kind::empty, 0};
    double value = 0;
    const auto [end, error] = read(text, value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return {Kind::none, 0};
    if (error == std::errc::result_out_of_range) {
        // from_chars reports too large and too small values with the same error; a wider type distinguishes them.
        long double wide = 0;
        const bool tiny = read(text, wide).ec == std::errc{} && std::fabs(wide) < 1.0L;
        return {tiny ? Kind::finite : Kind::out_of_range, 0};
    }
    return {std::isfinite(value) ? Kind::finite : Kind::not_finite, value};
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
    text = digits_of(text);
    std::int64_t whole = 0;
    if (const auto [end, error] = read(text, whole); error == std::errc{} && end == text.data() + text.size())
        return whole;
    const Number number = parse_number(text);
    if (number.kind != Number::Kind::finite || std::fabs(number.value) >= most_whole ||
        std::trunc(number.value) != number.value)
        return std::nullopt;
    return static_cast<std::int64_t>(number.value);
}

}  // namespace divisi::data
