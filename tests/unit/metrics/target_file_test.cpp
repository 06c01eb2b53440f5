// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/metrics_server.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/support/test_program.h"

namespace target_file_test {

using namespace divisi::metrics;

/// Tests the target files for Prometheus's discovery.
class TargetFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void file_has_the_format_of_file_sd_configs() {
        for (const auto& [url, target] : {std::pair{"http://127.0.0.1:40321/metrics", "127.0.0.1:40321"},
                                          std::pair{"http://[::1]:9464/metrics", "[::1]:9464"}}) {
            const auto groups = QJsonDocument::fromJson(QByteArray::fromStdString(target_text(url))).array();
            QCOMPARE(groups.size(), 1);
            QCOMPARE(groups[0].toObject()["targets"].toArray(), QJsonArray{target});
        }
    }

    void file_is_named_after_the_instance() {
        QCOMPARE(target_file("/data/metrics", "gpt-1/stage-1/0#2"),
                 std::filesystem::path("/data/metrics/gpt-1.stage-1.0#2.json"));
    }

    void only_leftover_target_files_are_removed() {
        const QTemporaryDir folder;
        const auto make = [&](const QString& name) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::WriteOnly);
        };
        QVERIFY(make("a.json") && make("b.json") && make("notes.txt"));
        remove_targets(folder.path().toStdString());
        QVERIFY(!QFile::exists(folder.filePath("a.json")) && !QFile::exists(folder.filePath("b.json")));
        QVERIFY(QFile::exists(folder.filePath("notes.txt")));
        remove_targets("/no/such/folder");  // a missing folder is no error
    }
};

DIVISI_TEST(TargetFileTest)

}  // namespace target_file_test

#include "target_file_test.moc"
