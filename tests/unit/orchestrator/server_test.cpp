// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/server.h"

#include <QTemporaryDir>

#include <fstream>

#include "backend/control/protocol/batch_group.h"
#include "backend/control/queue/models.h"
#include "backend/file/atomic_file.h"
#include "backend/link/connection_file.h"
#include "backend/store/backup.h"
#include "backend/wire/message_codec.h"
#include "tests/support/test_program.h"

namespace server_test {

using namespace divisi;
using namespace divisi::orchestrator;
namespace fs = std::filesystem;

namespace {

/// A data folder with servers on it that have no peers.
struct House {
    QTemporaryDir dir;
    fs::path data = fs::path(dir.path().toStdString()) / "data";
    link::EventLoop loop;
    link::Context context;

    std::unique_ptr<Server> server() {
        ServerConfig config;
        config.data = data;
        config.endpoints = {"ipc://" + (data / "control").string()};
        return std::make_unique<Server>(loop, context, config);
    }
    /// Writes a log with one queued task for each of these skeletons.
    void log(const std::map<std::string, std::string>& skeletons) const {
        fs::create_directories(data);
        auto log = store::EventLog::open(
            data / "events.sqlite", {wire::encode_event, wire::decode_event, wire::encode_page, wire::decode_page});
        std::vector<control::Event> events;
        for (const auto& [task, bytes] : skeletons)
            events.push_back(
                {events.size() + 1,
                 {},
                 control::TaskSubmitted{TaskId(task), task, "", "/", control::skeleton_name(bytes), {}, "me", 0}});
        if (!log || !(*log)->append(events)) qFatal("no log");
    }
    void write(const std::string& file, const std::string& bytes) const {
        fs::create_directories(data / "skeletons");
        std::ofstream(data / "skeletons" / file, std::ios::binary) << bytes;
    }
    /// Returns a task from the log. Call this only when no process has the log open.
    control::TaskView task(const std::string& name) const {
        auto log = store::EventLog::open(
            data / "events.sqlite", {wire::encode_event, wire::decode_event, wire::encode_page, wire::decode_page});
        return (*log)->restore()->state.tasks.at(TaskId(name));
    }
};

}  // namespace

/// Tests divisid's data folder: its lock, what a start finds in it, and what remains after an end.
class ServerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void folder_serves_only_one_server();
    void restart_reads_models_again_or_ends_their_tasks();
    void file_that_is_no_log_is_refused();
    void restored_folder_is_served_like_the_original();
};

void ServerTest::folder_serves_only_one_server() {
    House house;
    {
        auto first = house.server();
        QVERIFY(first->start().ok());
        const auto connection = link::read_connection(house.data / "connection.toml");
        QVERIFY(connection.ok());
        QCOMPARE(connection->endpoint, "ipc://" + (house.data / "control").string());
        auto second = house.server();
        const auto refused = second->start();
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().code, ErrorCode::conflict);
        second.reset();
        QVERIFY(fs::exists(house.data / "connection.toml"));  // the second server must not remove the file
    }
    QVERIFY(!fs::exists(house.data / "connection.toml"));
    QVERIFY(house.server()->start().ok());
}

void ServerTest::restart_reads_models_again_or_ends_their_tasks() {
    House house;
    house.log({{"kept", "bytes"}, {"lost", "others"}, {"zoo", ""}});
    house.write("kept.onnx", "bytes");
    house.write("lost.onnx", "otherz");
    house.write("forgotten.onnx", "x");
    house.write("kept.onnx.tmp", "half");
    QVERIFY(house.server()->start().ok());
    QVERIFY(fs::exists(house.data / "skeletons/kept.onnx"));
    QVERIFY(!fs::exists(house.data / "skeletons/forgotten.onnx"));
    QVERIFY(!fs::exists(house.data / "skeletons/kept.onnx.tmp"));
    QVERIFY(!house.task("kept").over());
    QVERIFY(!house.task("zoo").over());
    QCOMPARE(house.task("lost").outcome, control::Outcome::failed);
    QVERIFY(house.task("lost").error->what.find("gone or damaged") != std::string::npos);
}

void ServerTest::file_that_is_no_log_is_refused() {
    House house;
    fs::create_directories(house.data);
    std::ofstream(house.data / "events.sqlite") << std::string(10'000, 'x');
    const auto refused = house.server()->start();
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::corrupt);
    QVERIFY(refused.error().where.find("events.sqlite") != std::string::npos);
    QCOMPARE(fs::file_size(house.data / "events.sqlite"), std::uintmax_t{10'000});  // the file is unchanged
}

void ServerTest::restored_folder_is_served_like_the_original() {
    House house, other;
    house.log({{"kept", "bytes"}, {"zoo", ""}});
    house.write("kept.onnx", "bytes");
    const fs::path backup = fs::path(house.dir.path().toStdString()) / "backup";
    {
        auto server = house.server();  // this server is running
        QVERIFY(server->start().ok());
        QVERIFY(store::make_backup({house.data, backup, "1.2.3", TimePoint{}, nullptr}).ok());
    }
    QVERIFY(store::restore_backup(backup, other.data).ok());
    QVERIFY(other.server()->start().ok());
    QVERIFY(fs::exists(other.data / "skeletons/kept.onnx"));
    QVERIFY(!other.task("kept").over() && !other.task("zoo").over());
    // The restored folder signs receipts with the same key.
    QCOMPARE(file::read_file(other.data / "receipts.key").value(),
             file::read_file(house.data / "receipts.key").value());
}

DIVISI_TEST(ServerTest)

}  // namespace server_test

#include "server_test.moc"
