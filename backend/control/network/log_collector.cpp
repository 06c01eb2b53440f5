// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/log_collector.h"

#include "backend/base/text.h"

namespace divisi::control::inline network {
namespace {

constexpr std::string_view instance_word = "instance ";

}  // namespace

void LogCollector::handle(const Received& received, const LogLines& message) {
    Source& source = sources_.try_emplace(received.peer, Source{context_.lived()}).first->second;
    for (const LogLine& said : message.lines) {
        if (source.taken >= lines_of_peer) {
            ++source.left_out;
            continue;
        }
        ++source.taken;
        LogLine line = said;
        line.number = 0;
        line.text = legible(line.text, longest_line);
        sign(received.peer, line);
        context_.output().lines.push_back(std::move(line));
    }
}

/// Sets the source of a line. A node may report lines of the instances that it runs, and of no others.
void LogCollector::sign(PeerId peer, LogLine& line) const {
    const Session& session = context_.sessions().at(peer);
    const std::string said = std::exchange(line.component, {});
    line.task = TaskId();
    line.sid = Sid();
    line.node = session.node;
    if (!session.instance.value().empty()) return sign(session.instance, line);
    if (!session.node.value().empty() && said.starts_with(instance_word)) {
        const InstanceId instance(said.substr(instance_word.size()));
        const auto known = context_.state().instances.find(instance);
        if (known != context_.state().instances.end() && known->second.node == session.node)
            return sign(instance, line);
    }
    if (!session.node.value().empty()) line.component = "node " + session.node.value();
    else if (const auto device = devices_.name_of(peer)) line.component = devices_.component_of(*device);
    else line.component = session.program + " " + session.credentials.name;
}

void LogCollector::sign(const InstanceId& instance, LogLine& line) const {
    line.component = std::string(instance_word) + instance.value();
    const auto known = context_.state().instances.find(instance);
    if (known == context_.state().instances.end()) return;
    line.task = known->second.task;
    line.sid = known->second.sid;
    line.node = known->second.node;
}

void LogCollector::close(PeerId peer, const Source& source) {
    if (source.left_out > 0 && context_.sessions().contains(peer)) {
        LogLine line;
        line.time = context_.now();
        line.severity = Severity::warning;
        line.text = std::to_string(source.left_out) + " more lines were dropped: at most " +
                    std::to_string(lines_of_peer) + " are accepted in " +
                    std::to_string(note_interval / std::chrono::seconds(1)) + " s";
        sign(peer, line);
        context_.output().lines.push_back(std::move(line));
    }
}

void LogCollector::poll() {
    std::erase_if(sources_, [&](const auto& one) {
        if (context_.lived() - one.second.since < note_interval) return false;
        close(one.first, one.second);
        return true;
    });
}

}  // namespace divisi::control::inline network
