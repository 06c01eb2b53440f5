// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/state_record.h"

#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace divisi::instance {

void StateRecord::open(const std::filesystem::path& file, const Sid& sid, Incarnation incarnation,
                       const OnError& trouble) {
    const auto open = [&] { return store::InstanceStore::open(file, sid, incarnation, clock_.now()); };
    auto store = open();
    if (!store && store.error().code == ErrorCode::corrupt) {
        // Keep the damaged file for inspection, and begin a new one.
        trouble(store.error());
        std::error_code ignored;
        std::filesystem::rename(file, file.string() + ".damaged", ignored);
        for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(file.string() + beside, ignored);
        store = open();
    }
    if (!store) return trouble(store.error());
    writer_ = std::make_unique<StateWriter>(std::move(*store), trouble);
    add_hardware();
}

void StateRecord::add(const control::instance::Input& input, const std::string& from) {
    if (!writer_) return;
    const TimePoint now = clock_.now();
    if (const auto* told = get_if<control::instance::FromOrchestrator>(&input)) {
        if (auto order = order_of(told->message, from, now)) writer_->write(std::move(*order));
    } else if (auto event = event_of(input, now)) {
        writer_->write(std::move(*event));
    }
}

void StateRecord::add_event(const std::string& kind, const std::string& text) {
    if (writer_) writer_->write(store::EventRow{clock_.now(), kind, text});
}

void StateRecord::deployed(const control::Deploy& deploy, const control::Peers& peers) {
    if (writer_) writer_->write(deployment_of(deploy, peers, clock_.now()));
}

void StateRecord::operation_ended(const OperationTimes& times) {
    if (writer_) means_.add(times);
}

void StateRecord::passed(Generation generation, const Passed& step) {
    if (!writer_) return;
    const TimePoint now = clock_.now();
    const TimePoint before = std::exchange(passed_at_, now);
    const double duration_ms = before == TimePoint() ? 0 : to_ms(now - before);
    writer_->write(store::StepRow{generation, step.step, now, duration_ms,
                                  step.loss ? std::optional<double>(*step.loss) : std::nullopt});
    writer_->write(store::Progress{generation, step.step, step.samples, now});
}

void StateRecord::add_hardware() {
    if (!writer_) return;
    store::Hardware hardware{clock_.now(), means_.means()};
    hardware.parameters["fingerprint"] = fingerprint_;
    hardware.parameters["processors"] = std::to_string(std::thread::hardware_concurrency());
    if (const char* threads = std::getenv("OMP_NUM_THREADS")) hardware.parameters["threads"] = threads;
    writer_->write(std::move(hardware));
}

}  // namespace divisi::instance
