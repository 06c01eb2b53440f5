// SPDX-License-Identifier: GPL-3.0-or-later
// Requests about functional modules, as handled by the connection's thread.
#include <algorithm>

#include "app/client/worker.h"
#include "backend/control/types/module_types.h"
#include "backend/embed/module_list.h"

namespace divisi::client {

namespace {

constexpr Duration start_patience = std::chrono::seconds(10), look_again = std::chrono::milliseconds(200);

std::set<std::int64_t> processes_of(const std::string& name, const control::ModulesState& state) {
    std::set<std::int64_t> pids;
    for (const control::ModuleView& one : state.modules)
        if (one.info.name == name) pids.insert(one.info.pid);
    return pids;
}

}  // namespace

void ClusterClient::Worker::module_changed() {
    mailbox_.put([](Mail& mail) { ++mail.modules_changed; });
}

void ClusterClient::Worker::carry(const StartModule& order) {
    if (!host_)
        return refuse({ErrorCode::invalid_input, "modules are started beside an embedded cluster only", order.name,
                       "name it as [[module]] in the cluster file, or run its program with --connect"});
    request<control::ModulesState>(control::QueryModules{}, [this, order](const control::ModulesState& before) {
        list_module(order.name, order.program, before);
    });
}

/// Adds the module to the list; the cluster's host starts every listed module.
void ClusterClient::Worker::list_module(const std::string& name, const std::string& program,
                                        const control::ModulesState& before) {
    if (!host_) return;
    const Result<std::string> path = embed::module_program(name, program);
    if (!path.ok()) return refuse(path.error());
    const Result<std::uint64_t> listed = embed::list_module(host_->data(), {0, name, *path, {}});
    if (!listed.ok()) return refuse(listed.error());
    await_module({name, *listed, processes_of(name, before), loop_.clock().now() + start_patience});
}

/// Waits until a new process of the module connects. If no process connects in time, removes the module from the list.
void ClusterClient::Worker::await_module(const StartedModule& started) {
    loop_.after(look_again, [this, started] {
        request<control::ModulesState>(control::QueryModules{}, [this, started](const control::ModulesState& now) {
            const auto fresh = std::ranges::find_if(now.modules, [&](const control::ModuleView& one) {
                return one.info.name == started.name && !started.before.contains(one.info.pid);
            });
            if (fresh != now.modules.end()) {
                if (host_) (void)embed::note_version(host_->data(), started.number, fresh->info.version);
                return module_changed();
            }
            if (loop_.clock().now() < started.deadline) return await_module(started);
            if (!host_) return;
            const std::filesystem::path data = host_->data();
            (void)embed::unlist_modules(data,
                                        [&](const embed::ListedModule& one) { return one.number == started.number; });
            refuse({ErrorCode::deadline, "it has not connected within 10 s", "module " + started.name,
                    "its log is " + (data / "logs" / ("module-" + started.name + ".log")).string()});
        });
    });
}

void ClusterClient::Worker::change_module(const control::ChangeModule& change) {
    if (!change.stop) return request<control::Done>(change, [this](const control::Done&) { module_changed(); });
    std::size_t unlisted = 0;
    // A hanging process does not handle the request to end, so the program that hosts the cluster ends the process.
    if (host_) {
        const auto left = embed::unlist_stopped(host_->data(), change.name, change.version);
        if (left.ok()) unlisted = *left;
    }
    if (!client_) return refuse({ErrorCode::unavailable, "there is no connection to a cluster", "", "try again later"});
    client_->request(change, request_deadline, [this, unlisted](const Result<control::Message>& reply) {
        if (reply.ok() || unlisted > 0) return module_changed();
        refuse(reply.error());
    });
}

}  // namespace divisi::client
