// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/record_fold.h"

namespace divisi::client {

void RecordFold::take(Mail mail, Duration at) {
    client::take(data_, mail, zero_ + std::chrono::duration_cast<Steady::duration>(at));
    if (mail.status) status_ = std::move(mail.status);
    if (auto* mesh = mail.answer<control::MeshState>()) {
        mesh_ = std::move(*mesh);
        mesh_at_ = at;
    }
    if (auto* policies = mail.answer<control::PoliciesState>()) policies_ = std::move(*policies);
    if (auto* modules = mail.answer<control::ModulesState>()) modules_ = std::move(*modules);
    if (const auto* signal_messages = mail.answer<control::Signals>()) {
        const auto& came = signal_messages->records;
        if (!came.empty() && came.front().number <= signals_.last_number())
            signals_ = {};  // a restarted orchestrator numbers signals from the beginning
        for (const control::SignalRecord& one : came) signals_.keep(one);
    }
    submitted_.insert(submitted_.end(), mail.submitted.begin(), mail.submitted.end());
}

void RecordFold::rebase(Steady::time_point zero) {
    const auto shift = zero - std::exchange(zero_, zero);
    for (auto& [id, samples] : data_.loads)
        for (LoadSample& sample : samples) sample.time += shift;
    for (auto& [id, samples] : data_.nodes)
        for (NodeSample& sample : samples) sample.time += shift;
    data_.heard += shift;
}

void RecordFold::forget_older_loads() {
    const auto keep_last = [](auto& histories) {
        for (auto& [id, samples] : histories)
            while (samples.size() > 1) samples.pop_front();
    };
    keep_last(data_.loads);
    keep_last(data_.nodes);
    data_.step_moments.clear();
}

}  // namespace divisi::client
