// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/cluster_client.h"

#include "app/client/mailbox.h"
#include "app/client/refusal_text.h"
#include "app/client/worker.h"
#include "backend/embed/module_list.h"

namespace divisi::client {

namespace {

/// Interval in ms at which the GUI takes the data that the connection's thread received: often enough for smooth
/// charts, with little work.
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
    for (Answered& one : mail.answers) {
        if (!one.answer.ok()) one.why = quoted(one.answer.error());
        Q_EMIT answered(one);
    }
    for (std::size_t i = 0; i < mail.modules_changed; ++i) Q_EMIT moduleChanged();
    for (const std::string& task : mail.submitted) Q_EMIT submitted(QString::fromStdString(task));
    for (const std::string& file : mail.saved) Q_EMIT resultsSaved(QString::fromStdString(file));
    for (const auto& [version, file] : mail.exported) Q_EMIT versionExported(version, QString::fromStdString(file));
    for (const Error& error : mail.refused) Q_EMIT refused(quoted(error));
}

void ClusterClient::send(Sending how, const control::Message& message) { worker_->send(how, message); }
void ClusterClient::carry_out(const LocalOrder& order) { worker_->carry_out(order); }

std::vector<std::string> ClusterClient::known_modules() const { return embed::known_modules(); }
void ClusterClient::retry() { worker_->retry(); }

}  // namespace divisi::client

#include "moc_cluster_client.cpp"
