// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/forms/field_help.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <limits>

namespace divisi::panels {

namespace {

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
