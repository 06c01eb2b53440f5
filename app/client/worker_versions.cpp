// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of the connection's thread that handle requests to submit tasks, including tasks that begin with a version,
// and requests to export a version.
#include "app/client/embedded_host.h"
#include "app/client/worker.h"
#include "backend/control/state/version_lineage.h"
#include "backend/submit/placement.h"
#include "backend/submit/trained.h"
#include "backend/task/parse.h"

namespace divisi::client {

namespace {

/// Blobs of tasks are fetched into this folder below the folder of uploads.
constexpr const char* fetched_folder = "fetched";

/// Returns the version with whose weights a task begins; empty if the task begins with its model's initial weights.
/// Ignores errors in the text, because they are reported when the task is read.
Result<std::optional<control::ModelVersion>> version_of(const std::string& text, const control::ClusterState& state) {
    const auto spec = task::parse_task(text, "the task");
    if (!spec.ok() || !task::begins_with_version(*spec)) return std::optional<control::ModelVersion>();
    DIVISI_ASSIGN(const control::ModelVersion* version, control::find_version(state, spec->model.from));
    return std::optional(*version);
}

/// Returns the part of the state that is needed to fetch a version.
control::ClusterState holders_of(const control::ClusterState& state, const control::TaskView& task) {
    control::ClusterState some;
    some.nodes = state.nodes;
    some.tasks.emplace(task.id, task);
    for (const auto& [id, instance] : state.instances)
        if (instance.task == task.id) some.instances.emplace(id, instance);
    return some;
}

}  // namespace

void ClusterClient::Worker::begin_submission(const control::ClusterState& state, Draft draft) {
    draft.shared = submit::nodes_share_files(target_, state);
    draft.cluster.nodes = state.nodes;
    auto version = version_of(draft.text, state);
    if (!version.ok()) return refuse(version.error());
    draft.begins = *std::move(version);
    if (!draft.begins) return prepare_and_send(std::move(draft));
    const auto begins = submit::trained_of(state, *draft.begins);
    if (!begins.ok()) return refuse(begins.error());
    draft.cluster = holders_of(state, *begins->task);
    with_skeleton(*begins->task, [this, draft = std::move(draft)](const std::string& skeleton) {
        Draft whole = draft;
        whole.skeleton = skeleton;
        prepare_and_send(std::move(whole));
    });
}

void ClusterClient::Worker::with_skeleton(const control::TaskView& task, std::function<void(const std::string&)> then) {
    const Result<bool> needed = submit::needs_skeleton(task);
    if (!needed.ok()) return refuse(needed.error());
    if (!*needed) return then({});
    request<control::SkeletonData>(control::FetchSkeleton{task.id},
                                   [then = std::move(then)](const control::SkeletonData& data) { then(data.bytes); });
}

void ClusterClient::Worker::prepare_and_send(Draft whole) {
    courier_->run([this, draft = std::move(whole), keys = keys_](const std::atomic<bool>& cancelled) {
        const auto prepare = [&]() -> Result<submit::Submission> {
            DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(draft.text, "the task"));
            DIVISI_ASSIGN(submit::TaskInput input, submit::load_task(std::move(spec), draft.folder));
            const submit::Fetching fetching{{*context_, keys}, options_.uploads / fetched_folder, cancelled};
            if (draft.begins)
                DIVISI_TRY(submit::begin_with(fetching, draft.cluster, *draft.begins, draft.skeleton, input));
            DIVISI_TRY(submit::plan_for(input, draft.cluster, default_data_folder()));
            return submit::make_submission(input, options_.uploads, draft.shared);
        };
        if (!draft.shared) tell_upload(Upload{});
        auto made = prepare();
        tell_upload({});
        if (cancelled) return refuse({ErrorCode::failed, "the task was not submitted: it was cancelled", "", ""});
        if (!made.ok()) return refuse(made.error());
        loop_.post([this, exception = draft.exception,
                    submission = std::make_shared<const submit::Submission>(*std::move(made))] {
            send(submission, exception);
        });
    });
}

void ClusterClient::Worker::carry(const ExportVersion& order) {
    fetch_state([this, number = order.version, file = order.file.toStdString()](const control::ClusterState& state) {
        const auto version = state.versions.find(number);
        if (version == state.versions.end())
            return refuse({ErrorCode::not_found, "the cluster no longer knows this version",
                           "version " + std::to_string(number), "choose another one"});
        const auto trained = submit::trained_of(state, version->second);
        if (!trained.ok()) return refuse(trained.error());
        const control::TaskView& task = *trained->task;
        with_skeleton(task, [this, number, file, id = task.id, parts = trained->parts,
                             cluster = holders_of(state, task)](const std::string& skeleton) {
            courier_->run([=, this, keys = keys_](const std::atomic<bool>& cancelled) {
                const submit::Fetching fetching{{*context_, keys}, options_.uploads / fetched_folder, cancelled};
                const auto done =
                    submit::export_trained(fetching, cluster, {&cluster.tasks.at(id), parts}, skeleton, file);
                if (!done.ok()) return refuse(done.error());
                mailbox_.put([&](Mail& mail) { mail.exported.emplace_back(number, file); });
            });
        });
    });
}

}  // namespace divisi::client
