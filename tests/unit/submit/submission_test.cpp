// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <fstream>

#include "backend/store/blob_store.h"
#include "backend/submit/submission.h"
#include "backend/task/parse.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace submission_test {

using namespace divisi;
using namespace divisi::submit;
namespace fs = std::filesystem;

/// Tests the submission that a client creates from a task file.
class SubmissionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void files_have_hashes_unless_the_nodes_share_them();
    void files_on_the_nodes_are_not_sent();
    void folder_has_no_labels();
    void missing_file_is_named();
    void only_nodes_of_this_machine_share_files();
    void weights_that_no_task_needs_are_removed();
    void training_from_a_version_includes_its_weights();

private:
    Result<TaskInput> load(const char* path) const {
        const testing::TaskFile file = testing::TaskFile()
                                           .set("model.zoo", "lenet")
                                           .replace("data", {{"kind", "images"}, {"path", path}})
                                           .replace("train", {{"batch", 4}});
        auto spec = task::parse_task(file.text(), "test");
        if (!spec.ok()) return spec.error();
        return load_task(*spec, folder_);
    }
    void write(const std::string& name, const std::string& bytes) const {
        fs::create_directories((fs::path(folder_) / name).parent_path());
        std::ofstream(fs::path(folder_) / name) << bytes;
    }
    QTemporaryDir directory_;
    std::string folder_ = directory_.path().toStdString();
};

void SubmissionTest::files_have_hashes_unless_the_nodes_share_them() {
    write("images.idx", "pixels");
    write("labels.idx", "labels");
    const auto input = load("images.idx");
    QVERIFY2(input.ok(), input.ok() ? "" : input.error().message().c_str());
    const auto shared = make_submission(*input, folder_ + "/kept", true);
    QVERIFY(shared->message.files.empty() && shared->blobs.empty());
    const auto named = make_submission(*input, folder_ + "/kept", false);
    QCOMPARE(named->message.files.size(), std::size_t{2});
    QCOMPARE(named->message.files[0].purpose, std::string("data"));
    QCOMPARE(named->message.files[0].path, folder_ + "/images.idx");
    QCOMPARE(named->message.files[0].size, Bytes{6});
    QCOMPARE(named->message.files[1].purpose, std::string("labels"));
    QCOMPARE(named->blobs[1].manifest().hash, named->message.files[1].hash);
    QVERIFY(named->message.files[0].hash != named->message.files[1].hash);
    QVERIFY(!named->message.files[0].folder);
}

void SubmissionTest::files_on_the_nodes_are_not_sent() {
    const auto made = make_submission(load("node:/data/images.idx").value(), folder_ + "/kept", false);
    QVERIFY(made->message.files.empty());
}

void SubmissionTest::folder_has_no_labels() {
    write("images/a/1.png", "png");
    const auto made = make_submission(load("images").value(), folder_ + "/kept", false);
    QCOMPARE(made->message.files.size(), std::size_t{1});
    QVERIFY(made->message.files[0].folder);
}

void SubmissionTest::missing_file_is_named() {
    const auto none = load("nowhere.idx");
    QCOMPARE(none.error().code, ErrorCode::not_found);
    QVERIFY(none.error().message().find("nowhere.idx") != std::string::npos);
    write("more-images.idx", "pixels");
    const auto labels = load("more-images.idx");
    QVERIFY(labels.error().message().find("more-labels.idx") != std::string::npos);
}

void SubmissionTest::only_nodes_of_this_machine_share_files() {
    control::ClusterState state;
    state.nodes[NodeId("a")].info.blob_endpoint = "ipc:///run/b-1";
    QVERIFY(nodes_share_files({"ipc:///run/c", ""}, state));
    QVERIFY(!nodes_share_files({"tcp://127.0.0.1:1", "key"}, state));
    state.nodes[NodeId("b")].info.blob_endpoint = "tcp://10.0.0.2:7000";
    QVERIFY(!nodes_share_files({"ipc:///run/c", ""}, state));
    state.nodes[NodeId("b")].state = control::NodeState::lost;
    QVERIFY(nodes_share_files({"ipc:///run/c", ""}, state));
}

void SubmissionTest::weights_that_no_task_needs_are_removed() {
    const fs::path kept = fs::path(folder_) / "kept";
    auto store = store::BlobStore::open(kept).value();
    std::map<std::string, fs::path> paths;
    for (const char* name : {"queued", "exported", "failed", "nobody's", "new"}) {
        write(name, name);
        paths[name] = store.import(fs::path(folder_) / name).value();
    }
    const auto now = TimePoint(std::chrono::system_clock::now().time_since_epoch());
    for (const char* name : {"queued", "exported", "failed", "nobody's"})
        fs::last_write_time(paths[name], fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
    control::ClusterState state;
    // Nodes of this machine read the file in place: it has a path and no hash.
    state.tasks[TaskId("queued")].files = {{"weights", paths["queued"].string(), "", 1}};
    state.tasks[TaskId("exported")].files = {{"weights", paths["exported"].string(), "", 1}};
    state.tasks[TaskId("exported")].phase = control::TaskPhase::ended;
    state.tasks[TaskId("exported")].weights = {{}};  // only trained weights; the others are in the file
    state.tasks[TaskId("failed")].files = {{"weights", paths["failed"].string(), "", 1}};
    state.tasks[TaskId("failed")].phase = control::TaskPhase::ended;
    forget_kept(kept, state, now);
    for (const char* name : {"queued", "exported", "new"}) QVERIFY2(fs::exists(paths[name]), name);
    for (const char* name : {"failed", "nobody's"}) QVERIFY2(!fs::exists(paths[name]), name);
    forget_kept(fs::path(folder_) / "nowhere", state, now);
    QVERIFY(!fs::exists(fs::path(folder_) / "nowhere"));
}

void SubmissionTest::training_from_a_version_includes_its_weights() {
    const testing::TaskFile file =
        testing::TaskFile().set("model.from", "4").set("data.samples", 4).drop_section("train");
    auto spec = task::parse_task(file.text(), "test");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    auto input = load_task(*spec, folder_);  // planned without the version's weights
    QVERIFY2(input.ok(), input.ok() ? "" : input.error().message().c_str());
    const auto without = make_submission(*input, folder_ + "/kept", true);
    QVERIFY(!without.ok());
    QVERIFY(without.error().message().find("model.from") == 0);
    for (graph::Initializer& one : input->model.initializers) {
        const graph::Value& value = input->model.values[static_cast<std::size_t>(one.value)];
        if (!one.random) continue;
        std::vector<std::int64_t> dims;
        for (const graph::Dim& dim : *value.shape) dims.push_back(dim.size);
        const auto count = static_cast<std::size_t>(graph::element_count(value).value());
        one.data = graph::HostTensor::of(value.dtype, dims, std::vector<float>(count, 0.5f));
        one.random.reset();
    }
    input->has_start = true;
    const auto made = make_submission(*input, folder_ + "/kept", true);
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().message().c_str());
    QVERIFY(!made->message.skeleton.empty());
    QCOMPARE(made->message.files.size(), std::size_t{1});
    QCOMPARE(made->message.files[0].purpose, std::string("weights"));
    QVERIFY(made->message.text.find("from = \"4\"") != std::string::npos);
}

DIVISI_TEST(SubmissionTest)

}  // namespace submission_test

#include "submission_test.moc"
