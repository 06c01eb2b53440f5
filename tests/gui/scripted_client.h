// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

#include "app/client/mailbox.h"

namespace divisi::testing {

/// A cluster that does only what the test tells it to do.
class ScriptedClient : public client::Client {
public:
    client::Status state;
    client::ClusterData cluster;
    std::vector<control::Message> sent;
    std::vector<client::LocalOrder> carried_out;
    TimePoint now{std::chrono::seconds(1)};  ///< time of the next event
    std::optional<client::Upload> on_its_way;

    ScriptedClient() { state.role = control::Role::operate; }

    const client::Status& status() const override { return state; }
    const client::ClusterData& data() const override { return cluster; }
    const std::optional<client::Upload>& upload() const override { return on_its_way; }
    void send(client::Sending, const control::Message& message) override { sent.push_back(message); }
    void carry_out(const client::LocalOrder& order) override { carried_out.push_back(order); }
    std::vector<std::string> known_modules() const override { return {"compute-routing", "link-trend"}; }
    void retry() override {}

    /// Returns all messages and orders of type M that were sent since the last forget().
    template <typename M>
    std::vector<M> all() const {
        std::vector<M> found;
        const auto add = [&](const auto& from) {
            for (const auto& one : from)
                if (const M* same = get_if<M>(&one)) found.push_back(*same);
        };
        if constexpr (AlternativeOf<M, client::LocalOrder>) add(carried_out);
        else add(sent);
        return found;
    }
    template <typename M>
    std::size_t count() const {
        return all<M>().size();
    }
    template <typename M, typename Value>
    std::vector<Value> all(Value M::*member) const {
        std::vector<Value> found;
        for (const M& one : all<M>()) found.push_back(one.*member);
        return found;
    }
    /// Returns the last message or order of type M. The test fails if none was sent.
    template <typename M>
    M last() const {
        const std::vector<M> found = all<M>();
        if (!found.empty()) return found.back();
        QTest::qFail("no message of this type was sent", __FILE__, __LINE__);
        return {};
    }
    template <typename M>
    void forget() {
        std::erase_if(sent, [](const control::Message& one) { return holds_alternative<M>(one); });
    }
    /// Sends `answer` to the asker of `question`.
    template <control::Question Q>
    void answer(const Q& question, const typename Q::Answer& answer) {
        Q_EMIT answered({question, control::Message(answer)});
    }
    template <control::Question Q>
    void fail(const Q& question, const QString& why) {
        Q_EMIT answered({question, Error{ErrorCode::failed, why.toStdString(), {}, {}}, why});
    }

    void tell(control::Event::Body body) {
        const control::Event event{cluster.state.sequence + 1, now, std::move(body)};
        client::Mail mail;
        mail.events = {event};
        mail.heard = true;
        Q_EMIT mailCame(mail);
        control::apply(cluster.state, event);
        cluster.incidents.take(event);
        cluster.heard = std::chrono::steady_clock::now();
    }
    /// Reports the load of a placed instance.
    void report(const control::InstanceLoad& load,
                std::chrono::steady_clock::time_point came = std::chrono::steady_clock::now()) {
        client::Mail mail;
        mail.loads = {load};
        Q_EMIT mailCame(mail);
        client::take(cluster, mail, came);
    }
    /// Reports the machine of a joined node.
    void report(const control::NodeMachine& node,
                std::chrono::steady_clock::time_point came = std::chrono::steady_clock::now()) {
        client::Mail mail;
        mail.nodes = {node};
        Q_EMIT mailCame(mail);
        client::take(cluster, mail, came);
    }
    /// Delivers measured spans of an instance. The test emits dataChanged() itself.
    void measure(const control::SpanPush& push) {
        client::Mail mail;
        mail.spans = {push};
        Q_EMIT mailCame(mail);
        client::take(cluster, mail, std::chrono::steady_clock::now());
    }
    void connect_to(const QString& where) {
        state.connection = client::Connection::connected;
        state.where = where;
        Q_EMIT statusChanged();
    }
    /// Simulates a cluster with two nodes and a running task of two stages, with ten steps and one validation done.
    void play() {
        tell(control::ClusterStarted{"lab", "0.1.0"});
        for (const char* node : {"mic-1/node-1", "mic-2/node-1"}) {
            control::NodeInfo info;
            info.id = NodeId(node);
            info.mic = MicId(std::string(node).substr(0, 5));
            info.host = "laptop";
            info.devices = {{"cpu", "x86_64", 4, Bytes{8} << 30}};
            tell(control::NodeJoined{info});
        }
        const TaskId task("gpt-text-1");
        tell(control::TaskSubmitted{task, "gpt-text", "", "", "", {}, "operator", 0});
        const Sid forward("gpt-text-1/stage-0/forward/0"), backward("gpt-text-1/stage-0/backward/0");
        const InstanceId instance("gpt-text-1/stage-0/0");
        tell(control::TaskPlanned{task,
                                  1,
                                  {"/a"},
                                  100,
                                  16,
                                  "zoo:gpt",
                                  "00",
                                  {{forward, "forward", instance, {}, control::UnitState::running},
                                   {backward, "backward", instance, {forward}, control::UnitState::waiting}}});
        tell(control::InstancePlaced{task, instance, Sid("gpt-text-1/stage-0/0"), NodeId("mic-1/node-1"), 0});
        tell(control::InstanceChanged{instance, control::InstanceState::running, ""});
        tell(control::PhaseChanged{task, control::TaskPhase::exchange, ""});
        for (int step = 1; step <= 10; ++step) {
            tell(control::StepDone{task, {step, 5.5F - 0.2F * static_cast<float>(step), 100, 160.0 + step, 1}});
            control::InstanceLoad load;
            load.instance = instance;
            load.busy_share = 0.7;
            report(load);
        }
        tell(control::Evaluated{task, {5, 4.7F, 0.25}});
        tell(control::Noted{Severity::warning, "node mic-2/node-1", "", "little memory is left"});
        Q_EMIT dataChanged();
    }
};

}  // namespace divisi::testing
