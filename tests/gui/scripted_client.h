// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/client/mailbox.h"

namespace divisi::testing {

/// A cluster that does only what the test tells it to do.
class ScriptedClient : public client::Client {
public:
    client::Status state;
    client::ClusterData cluster;
    TimePoint now{std::chrono::seconds(1)};  ///< time of the next event
    QString submitted_text;
    std::pair<std::uint64_t, QString> resubmitted;  ///< exception number and text
    TaskId stopped, released;
    std::pair<TaskId, QString> results_saved;
    std::optional<client::Upload> on_its_way;
    bool upload_cancelled = false;
    int mesh_asked = 0;
    std::vector<std::uint64_t> signals_asked;  ///< the numbers after which signals were requested
    std::vector<control::WatchServices> services_asked;
    std::vector<control::QueryLog> receipts_asked;
    std::vector<control::QueryLog> logs_asked;
    std::optional<std::uint64_t> exception_retried, exception_dropped;
    std::vector<control::ListStores> stores_asked;
    std::vector<control::ReadStore> store_rows_asked;
    std::vector<control::QueryLines> lines_asked;
    std::vector<TaskId> spans_watched;
    std::optional<std::uint64_t> version_dropped;
    std::pair<TaskId, std::int64_t> checkpoint_kept;  ///< task, and step of the checkpoint
    std::pair<std::uint64_t, QString> version_exported;
    std::vector<std::pair<NodeId, bool>> drained;  ///< node, and whether its drain was undone
    std::vector<TaskId> advice_asked;
    std::vector<control::Recut> recuts;
    std::vector<control::LinkFault> faulted;
    std::vector<std::string> killed, killed_instances, killed_nodes;
    std::vector<std::pair<std::string, double>> paused;
    int policies_asked = 0;
    std::vector<std::string> policies_set, policies_tried;
    std::optional<std::uint64_t> rolled_back_to;
    std::vector<std::pair<std::string, std::string>> healed;
    int modules_asked = 0;
    using NameAnd = std::pair<std::string, std::string>;
    /// module name, with its program or its version
    std::optional<NameAnd> module_started, module_stopped, module_used;

    ScriptedClient() { state.role = control::Role::operate; }

    const client::Status& status() const override { return state; }
    const client::ClusterData& data() const override { return cluster; }
    void submit(const QString& text, const QString&) override { submitted_text = text; }
    void resubmit(std::uint64_t exception, const QString& text, const QString&) override {
        resubmitted = {exception, text};
    }
    void stop(const TaskId& task) override { stopped = task; }
    void release(const TaskId& task) override { released = task; }
    const std::optional<client::Upload>& upload() const override { return on_its_way; }
    void save_results(const TaskId& task, const QString& file) override { results_saved = {task, file}; }
    void cancel_upload() override { upload_cancelled = true; }
    void ask_mesh() override { ++mesh_asked; }
    void ask_signals(std::uint64_t after) override { signals_asked.push_back(after); }
    void ask_services(const control::WatchServices& question) override { services_asked.push_back(question); }
    void ask_receipts(const control::QueryLog& question) override { receipts_asked.push_back(question); }
    void ask_log(const control::QueryLog& question) override { logs_asked.push_back(question); }
    void retry_exception(std::uint64_t number) override { exception_retried = number; }
    void drop_exception(std::uint64_t number) override { exception_dropped = number; }
    void ask_stores(const control::ListStores& question) override { stores_asked.push_back(question); }
    void ask_store_rows(const control::ReadStore& question) override { store_rows_asked.push_back(question); }
    void ask_lines(const control::QueryLines& question) override { lines_asked.push_back(question); }
    void watch_spans(const TaskId& task) override { spans_watched.push_back(task); }
    void drop_version(std::uint64_t number) override { version_dropped = number; }
    void keep_checkpoint(const TaskId& task, std::int64_t step) override { checkpoint_kept = {task, step}; }
    void export_version(std::uint64_t number, const QString& file) override { version_exported = {number, file}; }
    void drain_node(const NodeId& node, bool undo) override { drained.emplace_back(node, undo); }
    void ask_advice(const TaskId& task) override { advice_asked.push_back(task); }
    void recut(const control::Recut& wanted) override { recuts.push_back(wanted); }
    void fault_link(const control::LinkFault& fault) override { faulted.push_back(fault); }
    void kill_router(const std::string& name) override { killed.push_back(name); }
    void kill_instance(const std::string& sid) override { killed_instances.push_back(sid); }
    void kill_node(const std::string& name) override { killed_nodes.push_back(name); }
    void pause_instance(const std::string& sid, double seconds) override { paused.emplace_back(sid, seconds); }
    void heal_faults(const std::string& a, const std::string& b) override { healed.emplace_back(a, b); }
    void ask_policies() override { ++policies_asked; }
    void set_policies(const std::vector<std::string>& settings) override { policies_set = settings; }
    void roll_back_policies(std::uint64_t version) override { rolled_back_to = version; }
    void try_policies(const std::vector<std::string>& settings) override { policies_tried = settings; }
    void ask_modules() override { ++modules_asked; }
    std::vector<std::string> known_modules() const override { return {"compute-routing", "link-trend"}; }
    void start_module(const std::string& name, const std::string& program) override {
        module_started = {name, program};
    }
    void stop_module(const std::string& name, const std::string& version) override { module_stopped = {name, version}; }
    void use_module(const std::string& name, const std::string& version) override { module_used = {name, version}; }
    void retry() override {}

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
    /// Plays a cluster with two nodes and a running task of two stages, with ten steps and two validations done.
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
