// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/cluster_client.h"

#include "app/client/mailbox.h"
#include "app/client/refusal_text.h"
#include "app/client/worker.h"
#include "backend/embed/module_list.h"

namespace divisi::client {

namespace {

/// Interval in ms at which the GUI takes over what the connection's thread received: often enough for smooth charts,
/// with little work.
constexpr int tick_ms = 80;

}  // namespace

ClusterClient::ClusterClient(ClusterOptions options, QObject* parent)
    : Client(parent), worker_(std::make_unique<Worker>(std::move(options))) {
    status_.connection = Connection::connecting;
    tick_.setInterval(tick_ms);
    connect(&tick_, &QTimer::timeout, this, &ClusterClient::take_mail);
    tick_.start();
}

ClusterClient::~ClusterClient() = default;

void ClusterClient::take_mail() {
    Mail mail = worker_->mailbox().take();
    Q_EMIT mailCame(mail);
    if (mail.status) {
        status_ = std::move(*mail.status);
        status_.problem = quoted(status_.problem.toStdString());  // recordings keep the original text
        Q_EMIT statusChanged();
    }
    const bool measured = !mail.loads.empty() || !mail.nodes.empty() || !mail.spans.empty();
    const bool changed = mail.snapshot || !mail.events.empty() || measured;
    time_.take(mail, Client::now());
    take(data_, mail, std::chrono::steady_clock::now());
    if (changed) Q_EMIT dataChanged();
    if (mail.upload && *mail.upload != upload_) {
        upload_ = *mail.upload;
        Q_EMIT uploadChanged();
    }
    if (mail.mesh) Q_EMIT meshCame(*mail.mesh);
    if (mail.signal_messages) Q_EMIT signalsCame(*mail.signal_messages);
    if (mail.services) Q_EMIT servicesCame(mail.services->question, mail.services->answer);
    if (mail.receipts) Q_EMIT receiptsCame(*mail.receipts);
    if (mail.log) Q_EMIT logCame(mail.log->question, mail.log->page);
    if (mail.policies) Q_EMIT policiesCame(*mail.policies);
    if (mail.policy_set) Q_EMIT policySet(*mail.policy_set);
    if (mail.policy_trial) Q_EMIT policyTried(*mail.policy_trial);
    if (mail.modules) Q_EMIT modulesCame(*mail.modules);
    for (std::size_t i = 0; i < mail.modules_changed; ++i) Q_EMIT moduleChanged();
    for (const std::string& task : mail.submitted) Q_EMIT submitted(QString::fromStdString(task));
    for (const std::string& file : mail.saved) Q_EMIT resultsSaved(QString::fromStdString(file));
    for (const auto& [task, answer] : mail.recuts) {
        if (answer.ok()) Q_EMIT recutDone(task, *answer);
        else Q_EMIT recutRefused(task, quoted(answer.error()));
    }
    tell_answers(mail);
    for (const std::string& what : mail.refused) Q_EMIT refused(quoted(what));
}

/// Emits the answers about state stores, process output, versions and advice.
void ClusterClient::tell_answers(const Mail& mail) {
    for (const StoresAnswer& one : mail.stores) Q_EMIT storesCame(one.question, one.answer);
    for (const StoreRowsAnswer& one : mail.store_rows) Q_EMIT storeRowsCame(one.question, one.answer);
    for (const LinesAnswer& one : mail.lines) {
        if (one.answer.ok()) Q_EMIT linesCame(one.question, *one.answer);
        else Q_EMIT linesRefused(one.question, quoted(one.answer.error()));
    }
    for (const auto& [version, file] : mail.exported) Q_EMIT versionExported(version, QString::fromStdString(file));
    for (const auto& [task, answer] : mail.advices) {
        if (answer.ok()) Q_EMIT adviceCame(task, *answer);
        else Q_EMIT adviceRefused(task, quoted(answer.error()));
    }
}

void ClusterClient::submit(const QString& text, const QString& folder) {
    worker_->submit(text.toStdString(), folder.toStdString());
}

void ClusterClient::resubmit(std::uint64_t exception, const QString& text, const QString& folder) {
    worker_->submit(text.toStdString(), folder.toStdString(), exception);
}

void ClusterClient::stop(const TaskId& task) { worker_->command(control::StopTask{task, "stopped from the console"}); }
void ClusterClient::release(const TaskId& task) { worker_->command(control::ReleaseTask{task}); }

void ClusterClient::save_results(const TaskId& task, const QString& file) {
    worker_->save_results(task, file.toStdString());
}

void ClusterClient::cancel_upload() { worker_->cancel_upload(); }

void ClusterClient::ask_mesh() { worker_->ask_mesh(); }
void ClusterClient::ask_signals(std::uint64_t after) { worker_->ask_signals(after); }

void ClusterClient::ask_services(const control::WatchServices& question) { worker_->ask_services(question); }
void ClusterClient::ask_receipts(const control::QueryLog& question) { worker_->ask_receipts(question); }

void ClusterClient::ask_log(const control::QueryLog& question) { worker_->ask_log(question); }
void ClusterClient::retry_exception(std::uint64_t number) { worker_->retry_exception(number); }
void ClusterClient::drop_exception(std::uint64_t number) { worker_->command(control::DropException{number}); }

void ClusterClient::ask_stores(const control::ListStores& question) { worker_->ask_stores(question); }
void ClusterClient::ask_store_rows(const control::ReadStore& question) { worker_->ask_store_rows(question); }
void ClusterClient::ask_lines(const control::QueryLines& question) { worker_->ask_lines(question); }
void ClusterClient::watch_spans(const TaskId& task) { worker_->watch_spans(task); }
void ClusterClient::drop_version(std::uint64_t number) { worker_->command(control::DropVersion{number}); }
void ClusterClient::keep_checkpoint(const TaskId& task, std::int64_t step) {
    worker_->command(control::KeepCheckpoint{task, step, {}});
}
void ClusterClient::export_version(std::uint64_t number, const QString& file) {
    worker_->export_version(number, file.toStdString());
}
void ClusterClient::drain_node(const NodeId& node, bool undo) { worker_->command(control::DrainNode{node, undo}); }
void ClusterClient::ask_advice(const TaskId& task) { worker_->ask_advice(task); }

void ClusterClient::recut(const control::Recut& wanted) { worker_->recut(wanted); }

void ClusterClient::ask_policies() { worker_->ask_policies(); }
void ClusterClient::set_policies(const std::vector<std::string>& settings) {
    worker_->change_policies(control::SetPolicies{settings});
}
void ClusterClient::roll_back_policies(std::uint64_t version) {
    worker_->change_policies(control::RollBackPolicies{version});
}
void ClusterClient::try_policies(const std::vector<std::string>& settings) { worker_->try_policies(settings); }

void ClusterClient::ask_modules() { worker_->ask_modules(); }
std::vector<std::string> ClusterClient::known_modules() const { return embed::known_modules(); }
void ClusterClient::start_module(const std::string& name, const std::string& program) {
    worker_->start_module(name, program);
}
void ClusterClient::stop_module(const std::string& name, const std::string& version) {
    worker_->stop_module(name, version);
}
void ClusterClient::use_module(const std::string& name, const std::string& version) {
    worker_->change_module({name, false, version});
}

void ClusterClient::fault_link(const control::LinkFault& fault) { worker_->command(control::FaultLink{fault}); }
void ClusterClient::kill_router(const std::string& name) { worker_->command(control::KillRouter{name}); }
void ClusterClient::kill_instance(const std::string& sid) { worker_->command(control::KillInstance{Sid(sid)}); }
void ClusterClient::kill_node(const std::string& name) { worker_->command(control::KillNode{NodeId(name)}); }
void ClusterClient::pause_instance(const std::string& sid, double seconds) {
    worker_->command(control::PauseInstance{Sid(sid), seconds});
}
void ClusterClient::heal_faults(const std::string& a, const std::string& b) {
    worker_->command(control::HealFaults{a, b});
}

void ClusterClient::retry() { worker_->retry(); }

}  // namespace divisi::client
