// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/json_lines.h"

#include <bit>
#include <cmath>
#include <cstdio>

#include "backend/base/text.h"

namespace divisi::control::inline types {
namespace {

std::string formatted(double value, const char* format) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string number(double value, const char* format = "%.9g") {
    return std::isfinite(value) ? formatted(value, format) : quoted(nonfinite_name(value));
}

/// Returns ,"heads":{"ads":0.25,...} and, if there are accuracies, ,"accuracies":{"ads":0.9,...}
std::string heads_json(const std::vector<HeadRecord>& heads) {
    std::string losses, accuracies;
    for (const HeadRecord& head : heads) {
        losses += (losses.empty() ? "" : ",") + quoted(head.name) + ":" + number(head.loss);
        if (!head.accuracy) continue;
        accuracies += (accuracies.empty() ? "" : ",") + quoted(head.name) + ":" + number(*head.accuracy, "%.6f");
    }
    if (heads.empty()) return {};
    return ",\"heads\":{" + losses + "}" + (accuracies.empty() ? "" : ",\"accuracies\":{" + accuracies + "}");
}

Bytes size_of(const Checkpoint& checkpoint) {
    Bytes size = 0;
    for (const SegmentSnapshot& part : checkpoint.parts) size += part.size;
    return size;
}

}  // namespace

std::string loss_bits(float loss) {
    char text[12];
    std::snprintf(text, sizeof text, "%08x", std::bit_cast<std::uint32_t>(loss));
    return text;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    char escape[8];
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        if (length == 0) {
            // JSON must be UTF-8. Show an invalid byte as messages show it.
            std::snprintf(escape, sizeof escape, "\\\\x%02x", static_cast<unsigned>(first));
            out += escape;
        } else if (first == '"' || first == '\\') {
            out += {'\\', text[0]};
        } else if (first < 0x20) {
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(first));
            out += escape;
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out + "\"";
}

const char* nonfinite_name(double value) {
    if (std::isnan(value)) return "NaN";
    return value > 0 ? "Infinity" : "-Infinity";
}

std::string loss_text(double loss, const char* format) {
    if (std::isnan(loss)) return "nan";  // printf prints the sign of some NaNs
    return formatted(loss, format);
}

std::string heads_text(const std::vector<HeadRecord>& heads) {
    std::string text;
    for (const HeadRecord& head : heads) {
        text += (text.empty() ? " (" : ", ") + head.name + " " + loss_text(head.loss);
        if (head.accuracy) text += " " + formatted(*head.accuracy * 100, "%.1f") + " %";
    }
    return text.empty() ? text : text + ")";
}

std::string step_line(const StepRecord& record, bool with_loss) {
    const std::string loss = ",\"loss\":" + number(record.loss) + ",\"loss_bits\":\"" + loss_bits(record.loss) + "\"";
    return "{\"event\":\"step\",\"step\":" + std::to_string(record.step) + (with_loss ? loss : "") +
           ",\"step_ms\":" + number(record.step_ms, "%.3f") +
           ",\"samples_per_s\":" + number(record.samples_per_s, "%.2f") +
           ",\"generation\":" + std::to_string(record.generation) + heads_json(record.heads) + "}";
}

std::string evaluation_line(const EvalRecord& record) {
    std::string line = "{\"event\":\"evaluation\",\"step\":" + std::to_string(record.step) +
                       ",\"loss\":" + number(record.loss) + ",\"loss_bits\":\"" + loss_bits(record.loss) + "\"";
    if (record.accuracy) line += ",\"accuracy\":" + number(*record.accuracy, "%.6f");
    return line + heads_json(record.heads) + "}";
}

std::string upload_line(std::size_t files, Bytes bytes, Bytes sent) {
    return "{\"event\":\"upload\",\"files\":" + std::to_string(files) + ",\"bytes\":" + std::to_string(bytes) +
           ",\"sent_bytes\":" + std::to_string(sent) + "}";
}

std::string figures_text(const EvalRecord& record) {
    std::string text = "loss " + loss_text(record.loss);
    if (record.accuracy) text += ", accuracy " + formatted(*record.accuracy * 100, "%.1f") + " %";
    return text + heads_text(record.heads);
}

std::string results_line(const std::string& file) { return "{\"event\":\"results\",\"file\":" + quoted(file) + "}"; }

std::string queued_line(const std::string& task) { return "{\"event\":\"queued\",\"task\":" + quoted(task) + "}"; }

std::string checkpoint_line(const Checkpoint& checkpoint) {
    return "{\"event\":\"checkpoint\",\"step\":" + std::to_string(checkpoint.step) +
           ",\"generation\":" + std::to_string(checkpoint.generation) +
           ",\"bytes\":" + std::to_string(size_of(checkpoint)) + "}";
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
    const std::size_t parts = checkpoint.parts.size();
    return "after step " + std::to_string(checkpoint.step) + ": " + std::to_string(parts) + " snapshot" +
           (parts == 1 ? "" : "s") + ", " + formatted(static_cast<double>(size_of(checkpoint)) / 1e6, "%.1f") + " MB";
}

std::string recovery_line(const TaskRecovers& recovery) {
    return "{\"event\":\"recovery\",\"step\":" + std::to_string(recovery.step) +
           ",\"generation\":" + std::to_string(recovery.generation) + ",\"reason\":" + quoted(recovery.reason) +
           ",\"instance\":" + quoted(recovery.culprit.value()) + "}";
}

std::string recovery_text(const TaskRecovers& recovery) {
    return recovery.reason + "; generation " + std::to_string(recovery.generation) + " continues " +
           (recovery.step > 0 ? "after step " + std::to_string(recovery.step) : "from its beginning");
}

std::string recut_line(const TaskRecut& recut) {
    return "{\"event\":\"recut\",\"step\":" + std::to_string(recut.step) +
           ",\"generation\":" + std::to_string(recut.generation) + ",\"from\":" + quoted(recut.from) +
           ",\"plan\":" + quoted(recut.to) + ",\"stages\":" + std::to_string(recut.origins.size()) +
           ",\"by\":" + quoted(recut.by) + "}";
}

std::string end_line(const std::string& task, Outcome outcome, const std::optional<Error>& error) {
    std::string line = "{\"event\":\"end\",\"task\":" + quoted(task) + ",\"outcome\":\"" + to_string(outcome) + "\"";
    if (error)
        line += ",\"error\":{\"code\":" + quoted(divisi::to_string(error->code)) +
                (error->id.empty() ? "" : ",\"id\":" + quoted(error->id)) + ",\"what\":" + quoted(error->what) +
                ",\"where\":" + quoted(error->where) + ",\"next\":" + quoted(error->next) + "}";
    return line + "}";
}

}  // namespace divisi::control::inline types
