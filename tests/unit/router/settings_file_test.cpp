// SPDX-License-Identifier: Apache-2.0
#include "agents/router/settings_file.h"

#include <QFile>
#include <QTemporaryDir>

#include "tests/support/test_program.h"

namespace settings_file_test {

using namespace divisi;
using namespace divisi::router;

/// Tests the settings that a router leaves for the next router if it is killed together with its guard.
class SettingsFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void kept_settings_are_read_by_the_next_router();
    void settings_of_an_earlier_boot_are_ignored();
    void other_text_is_refused();
    void unusable_folder_is_named();

private:
    QString path() const { return folder_.filePath("srv6-1"); }
    SettingsFile file(const std::string& boot = "this-boot") const { return {path().toStdString(), boot}; }
    QTemporaryDir folder_;
};

void SettingsFileTest::kept_settings_are_read_by_the_next_router() {
    QVERIFY(file().read()->empty());
    const Settings before{{"all", "0"}, {"to-a", "0"}, {"eth0.7", "2"}};
    QVERIFY(file().keep({{"all", "0"}}).ok());
    QVERIFY(file().keep(before).ok());
    QVERIFY(*file().read() == before);
    QVERIFY(file().keep({}).ok());
    QVERIFY(!QFile::exists(path()));
    QVERIFY(file().keep({}).ok());  // works even if there is no file
}

void SettingsFileTest::settings_of_an_earlier_boot_are_ignored() {
    QVERIFY(file("earlier").keep({{"all", "0"}}).ok());
    QVERIFY(file().read()->empty());
    QVERIFY(file().keep({{"to-a", "0"}}).ok());
    QVERIFY(*file().read() == (Settings{{"to-a", "0"}}));
}

void SettingsFileTest::other_text_is_refused() {
    for (const char* text : {"this-boot", "this-boot\n", "this-boot\nbefore all\n", "this-boot\nafter all 0\n"}) {
        QFile damaged(path());
        QVERIFY(damaged.open(QIODevice::WriteOnly | QIODevice::Truncate) && damaged.write(text) > 0);
        damaged.close();
        const auto read = file().read();
        QVERIFY2(!read.ok() && read.error().code == ErrorCode::corrupt, text);
        QVERIFY(read.error().message().find("remove the file") != std::string::npos);
    }
}

void SettingsFileTest::unusable_folder_is_named() {
    QFile taken(folder_.filePath("taken"));
    QVERIFY(taken.open(QIODevice::WriteOnly));
    const auto refused = SettingsFile::of_this_namespace(taken.fileName().toStdString());
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().message().find("--runtime") != std::string::npos);
}

DIVISI_TEST(SettingsFileTest)

}  // namespace settings_file_test

#include "settings_file_test.moc"
