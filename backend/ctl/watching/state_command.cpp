// SPDX-License-Identifier: Apache-2.0
// divisictl state: prints what an instance wrote to its state store.
#include <cstdio>

#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/store/instance_store.h"

namespace divisi::ctl {
namespace {

/// All contents of a store, read in one transaction.
struct Contents {
    store::InstanceStore::Identity identity;
    std::optional<store::Written<store::Progress>> progress;
    std::optional<store::Written<store::Deployment>> deployment;
    std::map<std::string, store::Written<std::string>> hardware;
    std::vector<store::Written<store::StepRow>> steps;
    std::vector<store::Written<store::EventRow>> events;
    std::vector<store::Written<store::OrderRow>> orders;
};

Result<Contents> read(const std::string& file, std::int64_t rows) {
    DIVISI_ASSIGN(const auto store, store::InstanceStore::open_to_read(file));
    Contents contents;
    DIVISI_ASSIGN(contents.identity, store->identity());
    DIVISI_ASSIGN(contents.progress, store->progress());
    DIVISI_ASSIGN(contents.deployment, store->deployment());
    DIVISI_ASSIGN(contents.hardware, store->hardware());
    DIVISI_ASSIGN(contents.steps, store->steps(rows));
    DIVISI_ASSIGN(contents.events, store->events(rows));
    DIVISI_ASSIGN(contents.orders, store->orders(rows));
    return contents;
}

nlohmann::ordered_json json_of(const Contents& contents) {
    const auto seconds = [](TimePoint time) { return to_ms(time.time_since_epoch()) / 1e3; };
    nlohmann::ordered_json json{{"sid", contents.identity.sid.value()},
                                {"incarnation", contents.identity.incarnation},
                                {"opened", seconds(contents.identity.opened)}};
    if (const auto& progress = contents.progress)
        json["progress"] = {{"incarnation", progress->incarnation},
                            {"generation", progress->row.generation},
                            {"step", progress->row.step},
                            {"samples", progress->row.samples},
                            {"time", seconds(progress->row.time)}};
    if (const auto& deployment = contents.deployment) {
        json["configuration"] = deployment->row.configuration;
        json["dependencies"] = deployment->row.dependencies;
    }
    for (const auto& [name, value] : contents.hardware) json["hardware"][name] = value.row;
    for (const auto& [incarnation, row] : contents.steps) {
        json["steps"].push_back({{"incarnation", incarnation},
                                 {"generation", row.generation},
                                 {"step", row.step},
                                 {"time", seconds(row.time)},
                                 {"duration_ms", row.duration_ms}});
        if (row.loss) json["steps"].back()["loss"] = *row.loss;
    }
    for (const auto& [incarnation, row] : contents.events)
        json["events"].push_back(
            {{"incarnation", incarnation}, {"time", seconds(row.time)}, {"what", row.what}, {"detail", row.detail}});
    for (const auto& [incarnation, row] : contents.orders)
        json["orders"].push_back({{"incarnation", incarnation},
                                  {"time", seconds(row.time)},
                                  {"from", row.from},
                                  {"order", row.order},
                                  {"detail", row.detail}});
    return json;
}

std::string number(double value, const char* format = "%.4g") {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

void print_head(const Contents& contents) {
    std::printf("%s, incarnation %llu since %s\n", contents.identity.sid.value().c_str(),
                static_cast<unsigned long long>(contents.identity.incarnation),
                clock_time(contents.identity.opened).c_str());
    if (const auto& progress = contents.progress)
        std::printf("step %lld of generation %u at %s, %lld samples of the data\n",
                    static_cast<long long>(progress->row.step), progress->row.generation,
                    clock_time(progress->row.time).c_str(), static_cast<long long>(progress->row.samples));
    else std::puts("the instance has completed no step");
    if (!contents.deployment) return;
    const auto& deployed = contents.deployment->row;
    const auto setting = [&](const char* name) {
        const auto found = deployed.configuration.find(name);
        return found == deployed.configuration.end() ? std::string() : found->second;
    };
    std::printf("task %s, stage %s, plan %s, cuts %s\n", setting("task").c_str(), setting("stage").c_str(),
                setting("plan").c_str(), setting("cuts").empty() ? "none" : setting("cuts").c_str());
    std::string others;
    for (const std::string& other : deployed.dependencies) others += (others.empty() ? "" : ", ") + other;
    std::printf("tensors are exchanged with: %s\n", others.empty() ? "nobody" : others.c_str());
}

void print_tables(const Contents& contents) {
    using Rows = std::vector<std::vector<std::string>>;
    const auto print = [](const std::vector<std::string>& header, const Rows& rows) {
        if (rows.empty()) return;
        std::puts("");
        print_table(header, rows);
    };
    Rows rows;
    for (const auto& [name, value] : contents.hardware) rows.push_back({name, value.row});
    print({"HARDWARE", "VALUE"}, rows);
    rows.clear();
    for (const auto& [incarnation, row] : contents.steps)
        rows.push_back({std::to_string(row.step), std::to_string(row.generation), std::to_string(incarnation),
                        row.loss ? number(*row.loss, "%.6g") : "", number(row.duration_ms), clock_time(row.time)});
    print({">STEP", ">GENERATION", ">INCARNATION", ">LOSS", ">MS", "AT"}, rows);
    rows.clear();
    for (const auto& [incarnation, row] : contents.events)
        rows.push_back({row.what, std::to_string(incarnation), clock_time(row.time), row.detail});
    print({"EVENT", ">INCARNATION", "AT", "DETAIL"}, rows);
    rows.clear();
    for (const auto& [incarnation, row] : contents.orders)
        rows.push_back({row.order, std::to_string(incarnation), clock_time(row.time), row.from, row.detail});
    print({"ORDER", ">INCARNATION", "AT", "FROM", "DETAIL"}, rows);
}

}  // namespace

int show_state(const Common& common, const std::string& file, std::int64_t rows) {
    const auto contents = read(file, rows);
    if (!contents) return print_error(contents.error());
    if (common.json) {
        print_json(json_of(*contents));
        return 0;
    }
    print_head(*contents);
    print_tables(*contents);
    return 0;
}

}  // namespace divisi::ctl
