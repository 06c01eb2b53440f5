// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/forms/field_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

namespace divisi::panels {
namespace {

using Pairs = std::vector<std::pair<QString, QString>>;

/// Returns the text of a list element in the editor, quoted if necessary.
QString written(const std::string& part) {
    QString text = QString::fromStdString(part);
    const bool plain = !text.isEmpty() && text == text.trimmed() && !text.contains(u',') && !text.contains(u'"') &&
                       !text.contains(u'=');
    if (plain) return text;
    text.replace(u'\\', QStringLiteral("\\\\")).replace(u'"', QStringLiteral("\\\""));
    return u'"' + text + u'"';
}

/// Reads a list element by element.
class Reader {
public:
    explicit Reader(const QString& text) : text_(text) { skip_spaces(); }

    bool at_end() const { return at_ >= text_.size(); }
    /// Consumes a character and the spaces after it. Returns whether the character was there.
    bool take(QChar mark) {
        if (at_end() || text_[at_] != mark) return false;
        ++at_;
        skip_spaces();
        return true;
    }
    /// Returns an element up to a comma or, in a pair, an equals sign; nullopt if a quote is not closed.
    std::optional<QString> part(bool in_pair) {
        in_quotes_ = take_quote();
        if (in_quotes_) return quoted();
        const qsizetype from = at_;
        while (!at_end() && text_[at_] != u',' && !(in_pair && text_[at_] == u'=')) ++at_;
        return text_.mid(from, at_ - from).trimmed();
    }

    /// Returns whether the last element was quoted.
    bool in_quotes() const { return in_quotes_; }

private:
    void skip_spaces() {
        while (!at_end() && text_[at_].isSpace()) ++at_;
    }
    bool take_quote() {
        if (at_end() || text_[at_] != u'"') return false;
        ++at_;
        return true;
    }
    std::optional<QString> quoted() {
        QString part;
        for (; !at_end(); ++at_) {
            if (text_[at_] == u'"') {
                ++at_;
                skip_spaces();
                return part;
            }
            if (text_[at_] == u'\\' && at_ + 1 < text_.size()) ++at_;
            part += text_[at_];
        }
        return std::nullopt;
    }

    const QString& text_;
    qsizetype at_ = 0;
    bool in_quotes_ = false;
};

std::optional<std::vector<std::string>> read_list(const QString& text) {
    std::vector<std::string> list;
    Reader reader(text);
    while (!reader.at_end()) {
        const auto part = reader.part(false);
        if (!part) return std::nullopt;
        if (!part->isEmpty() || reader.in_quotes()) list.push_back(part->toStdString());
        if (!reader.at_end() && !reader.take(u',')) return std::nullopt;
    }
    return list;
}

std::optional<Pairs> read_pairs(const QString& text) {
    Pairs pairs;
    Reader reader(text);
    while (!reader.at_end()) {
        const auto name = reader.part(true);
        if (!name || name->isEmpty() || !reader.take(u'=')) return std::nullopt;
        const auto value = reader.part(false);
        if (!value || value->isEmpty()) return std::nullopt;
        pairs.emplace_back(*name, *value);
        if (!reader.at_end() && !reader.take(u',')) return std::nullopt;
    }
    return pairs;
}

struct Writer {
    QString operator()(std::string* text) const { return QString::fromStdString(*text); }
    QString operator()(std::int64_t* value) const { return QString::number(*value); }
    QString operator()(std::uint64_t* value) const { return QString::number(*value); }
    QString operator()(double* value) const { return QString::number(*value, 'g', QLocale::FloatingPointShortest); }
    QString operator()(bool* value) const { return *value ? QStringLiteral("true") : QString(); }
    QString operator()(std::vector<std::string>* list) const {
        QStringList parts;
        for (const std::string& part : *list) parts << written(part);
        return parts.join(QStringLiteral(", "));
    }
    QString operator()(std::map<std::string, std::string>* pairs) const {
        QStringList parts;
        for (const auto& [name, value] : *pairs) parts << written(name) + u'=' + written(value);
        return parts.join(QStringLiteral(", "));
    }
    QString operator()(std::map<std::string, std::int64_t>* pairs) const {
        QStringList parts;
        for (const auto& [name, value] : *pairs) parts << written(name) + u'=' + QString::number(value);
        return parts.join(QStringLiteral(", "));
    }
};

/// Parses a text into each type of value. Returns whether it could be parsed.
struct FieldReader {
    const QString& text;

    template <typename Number>
    static bool take(Number* value, bool ok, Number read) {
        if (ok) *value = read;
        return ok;
    }
    bool operator()(std::string* value) const {
        *value = text.toStdString();
        return true;
    }
    bool operator()(std::int64_t* value) const {
        bool ok = false;
        const auto read = static_cast<std::int64_t>(text.trimmed().toLongLong(&ok));
        return take(value, ok, read);
    }
    bool operator()(std::uint64_t* value) const {
        bool ok = false;
        const auto read = static_cast<std::uint64_t>(text.trimmed().toULongLong(&ok));
        return take(value, ok, read);
    }
    bool operator()(double* value) const {
        bool ok = false;
        const double read = text.trimmed().toDouble(&ok);
        return take(value, ok, read);
    }
    bool operator()(bool* value) const {
        *value = !text.isEmpty();
        return true;
    }
    bool operator()(std::vector<std::string>* list) const {
        auto read = read_list(text);
        if (read) *list = std::move(*read);
        return read.has_value();
    }
    bool operator()(std::map<std::string, std::string>* pairs) const {
        const auto read = read_pairs(text);
        if (!read) return false;
        pairs->clear();
        for (const auto& [name, value] : *read) (*pairs)[name.toStdString()] = value.toStdString();
        return true;
    }
    bool operator()(std::map<std::string, std::int64_t>* sizes) const {
        const auto read = read_pairs(text);
        if (!read) return false;
        std::map<std::string, std::int64_t> numbers;
        for (const auto& [name, value] : *read) {
            bool ok = false;
            numbers[name.toStdString()] = value.toLongLong(&ok);
            if (!ok) return false;
        }
        *sizes = std::move(numbers);
        return true;
    }
};

struct FieldRange {
    std::string_view key;
    model::Range range;
    const char* unit = nullptr;  ///< unit for model::range_text()
};

constexpr qint64 most_steps = 1'000'000'000;

/// The ranges of fields, the same as in backend/task/check.cpp. A test compares them.
constexpr FieldRange ranges[] = {
    {"data.classes", {0, std::numeric_limits<std::int32_t>::max()}, "classes"},
    {"data.samples", {1, {}}, "samples"},
    {"data.validation_share", {0, 1, true}},
    {"train.steps", {1, most_steps}, "steps"},
    {"train.batch", {1, 1 << 20}, "samples"},
    {"train.microbatches", {1, 4096}, "parts"},
    {"train.lr", {0, {}}},
    {"train.momentum", {0, 1, true}},
    {"train.beta1", {0, 1, true}},
    {"train.beta2", {0, 1, true}},
    {"train.weight_decay", {0, {}}},
    {"train.warmup_steps", {0, most_steps}, "steps"},
    {"train.decay_steps", {0, most_steps}, "steps"},
    {"train.decay_rate", {0, 1}},
    {"train.clip", {0, {}}},
    {"train.seed", {0, std::numeric_limits<std::int64_t>::max()}},
    {"train.eval_every", {0, most_steps}, "steps"},
    {"train.eval_batches", {0, most_steps}, "batches"},
    {"place.threads", {1, 1024}, "threads"},
    {"checkpoint.keep", {1, 100}, "checkpoints"},
    {"place.standby", {0, 16}, "processes"},
};

const FieldRange* find(std::string_view key) {
    const auto* found = std::ranges::find(ranges, key, &FieldRange::key);
    return found == std::end(ranges) ? nullptr : found;
}

}  // namespace

QString text_of(const Slot& slot) { return visit(Writer{}, slot); }

bool read_text(const QString& text, const Slot& slot) { return visit(FieldReader{text}, slot); }

bool reads_as(const QString& text, const TaskField& field, const task::TaskSpec& spec) {
    task::TaskSpec read = spec;
    return read_text(text, field.slot(read)) && read == spec;
}

QString field_help(const TaskField& field) {
    const QString help = QCoreApplication::translate("divisi::panels::TaskForm", field.help);
    const FieldRange* found = find(field.key);
    return found ? model::help_text(help, model::range_text(found->range, found->unit)) : help;
}

const model::Range* field_range(std::string_view key) {
    const FieldRange* found = find(key);
    return found ? &found->range : nullptr;
}

}  // namespace divisi::panels
