// SPDX-License-Identifier: Apache-2.0
#include "backend/base/csv.h"

#include "backend/base/error_texts.h"

namespace divisi {
namespace {

std::string field_text(const std::string& field) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    std::string quoted = "\"";
    for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

class Records {
public:
    Records(std::string_view text, const std::string& where) : text_(text), where_(where) {}

    Result<std::vector<std::vector<std::string>>> read() {
        while (at_ < text_.size()) {
            records_.emplace_back();
            do {
                DIVISI_TRY(field());
            } while (take(','));
            if (at_ < text_.size() && !take("\r\n") && !take('\n'))
                return bad(base_error_text("text-behind-quoted-field"));
        }
        return std::move(records_);
    }

private:
    Result<void> field() {
        std::string value;
        if (take('"')) {
            DIVISI_TRY(rest_of_quoted(value));
        } else {
            const std::size_t end = std::min(text_.find_first_of(",\n\"", at_), text_.size());
            if (end < text_.size() && text_[end] == '"') return bad(base_error_text("quote-within-field"));
            value = text_.substr(at_, end - at_);
            at_ = end;
            if (end < text_.size() && text_[end] == '\n' && value.ends_with('\r')) value.pop_back();
        }
        records_.back().push_back(std::move(value));
        return {};
    }
    Result<void> rest_of_quoted(std::string& value) {
        while (at_ < text_.size()) {
            if (!take('"')) value += text_[at_++];
            else if (take('"')) value += '"';
            else return {};
        }
        return bad(base_error_text("quoted-field-does-not-end"));
    }
    bool take(char c) {
        const bool there = at_ < text_.size() && text_[at_] == c;
        if (there) ++at_;
        return there;
    }
    bool take(std::string_view word) {
        const bool there = text_.substr(at_).starts_with(word);
        if (there) at_ += word.size();
        return there;
    }
    Error bad(const ErrorText& text) const {
        return make_error(text, where_ + ", row " + std::to_string(records_.size()));
    }

    std::string_view text_;
    const std::string& where_;
    std::size_t at_ = 0;
    std::vector<std::vector<std::string>> records_;
};

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + field_text(fields[i]);
    return line;
}

Result<std::vector<std::vector<std::string>>> parse_csv(std::string_view text, const std::string& where) {
    return Records(text, where).read();
}

}  // namespace divisi
