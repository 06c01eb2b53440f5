// SPDX-License-Identifier: GPL-3.0-or-later
// Requests about state stores, process output, advice and measured spans, as handled by the connection's thread.
#include "app/client/worker.h"

namespace divisi::client {

namespace {

/// Longer than the orchestrator waits for a node.
constexpr Duration store_deadline = std::chrono::seconds(25);
/// A search for better cuts takes a minute at most.
constexpr Duration advice_deadline = std::chrono::minutes(2);

}  // namespace

void ClusterClient::Worker::ask_stores(const control::ListStores& asked) {
    loop_.post([this, asked] {
        const auto tell = [this, asked](Result<control::StoreList> list) {
            control::StoreList answer;
            if (list.ok()) answer = *std::move(list);
            else answer.error = list.error();
            mailbox_.put([&](Mail& mail) { mail.stores.push_back({asked, std::move(answer)}); });
        };
        question<control::StoreList>(asked, tell, store_deadline);
    });
}

void ClusterClient::Worker::ask_store_rows(const control::ReadStore& asked) {
    loop_.post([this, asked] {
        const auto tell = [this, asked](Result<control::StorePage> page) {
            control::StorePage answer;
            if (page.ok()) answer = *std::move(page);
            else answer.error = page.error();
            mailbox_.put([&](Mail& mail) { mail.store_rows.push_back({asked, std::move(answer)}); });
        };
        question<control::StorePage>(asked, tell, store_deadline);
    });
}

void ClusterClient::Worker::ask_lines(const control::QueryLines& asked) {
    loop_.post([this, asked] {
        question<control::LinesPage>(asked, [this, asked](Result<control::LinesPage> page) {
            mailbox_.put([&](Mail& mail) { mail.lines.push_back({asked, std::move(page)}); });
        });
    });
}

void ClusterClient::Worker::ask_advice(const TaskId& task) {
    loop_.post([this, task] {
        const auto tell = [this, task](Result<control::RecutAdvised> advised) {
            mailbox_.put([&](Mail& mail) { mail.advices.emplace_back(task, std::move(advised)); });
        };
        question<control::RecutAdvised>(control::AskRecutAdvice{task}, tell, advice_deadline);
    });
}

/// Requests spans. A refusing cluster does not support spans, or has forgotten the task: no spans come, and the view
/// says so.
void ClusterClient::Worker::watch_spans(const TaskId& task) {
    loop_.post([this, task] {
        const bool connected = client_ && client_->state().kind == link::ControlClient::State::Kind::connected;
        if (connected)
            client_->request(control::WatchSpans{task}, request_deadline, [](const Result<control::Message>&) {});
    });
}

}  // namespace divisi::client
