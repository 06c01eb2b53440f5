// SPDX-License-Identifier: Apache-2.0
// Alert rules of the orchestrator: [alerts] of a cluster file.
#include <cmath>

#include "backend/base/quantity.h"
#include "backend/task/cluster_fields.h"
#include "backend/task/error_texts.h"

namespace divisi::task {
namespace {

constexpr double largest_factor = 1e6;
constexpr double longest_s = 86'400;
constexpr std::int64_t longest_queue = 1'000'000;

const std::vector<std::string> alert_keys = {"slow", "slow_for", "silent", "queue", "disk", "loss"};

Result<void> read_seconds(const Section& section, const char* key, double& seconds) {
    if (!section.table.get(key)) return {};
    std::string written;
    DIVISI_TRY(section.read(key, written));
    const auto parsed = parse_quantity(written, latency_units);
    if (parsed && std::isfinite(*parsed) && *parsed >= 0 && *parsed <= longest_s) {
        seconds = *parsed;
        return {};
    }
    return section.bad(key, error_text("no-alert-time"), {written, (parsed ? "is out of range" : parsed.error().what)});
}

}  // namespace

Result<void> read_alerts(const toml::table& root, const std::string& filename, AlertRules& rules) {
    const toml::node* node = root.get("alerts");
    if (!node) return {};
    if (!node->as_table())
        return wrong_type(*node, "alerts", place(filename, *node), fill(error_text("section-wanted").what, {"alerts"}));
    const Section section{*node->as_table(), "alerts", filename};
    DIVISI_TRY(check_keys(section.table, section.name, alert_keys, filename));
    DIVISI_TRY(section.read("slow", rules.slow));
    if (!std::isfinite(rules.slow) || (rules.slow != 0 && (rules.slow <= 1 || rules.slow > largest_factor)))
        return section.bad("slow", error_text("no-alert-factor"));
    DIVISI_TRY(read_seconds(section, "slow_for", rules.slow_for_s));
    DIVISI_TRY(read_seconds(section, "silent", rules.silent_s));
    DIVISI_TRY(section.read("queue", rules.queue));
    if (rules.queue < 0 || rules.queue > longest_queue)
        return section.bad("queue", error_text("alert-queue-out-of-range"));
    if (section.table.get("disk")) {
        DIVISI_ASSIGN(rules.disk, read_size(section, "disk"));
    }
    return section.read("loss", rules.loss);
}

std::string print_alerts(const AlertRules& rules) {
    if (rules == AlertRules{}) return {};
    const auto seconds = [](double value) { return quantity(value, "s"); };
    return "\n[alerts]\nslow = " + literal(rules.slow) + "\nslow_for = " + seconds(rules.slow_for_s) +
           "\nsilent = " + seconds(rules.silent_s) + "\nqueue = " + literal(rules.queue) +
           "\ndisk = " + literal(rules.disk) + "\nloss = " + literal(rules.loss) + "\n";
}

}  // namespace divisi::task
