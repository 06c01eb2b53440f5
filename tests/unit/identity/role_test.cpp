// SPDX-License-Identifier: Apache-2.0

#include "backend/identity/access_list.h"
#include "backend/identity/credentials.h"
#include "tests/support/test_program.h"

namespace role_test {

using namespace divisi;
using namespace divisi::identity;

class RoleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_table_of_rights_data();
    void the_table_of_rights();
    void names_are_read_as_they_are_written();
    void an_owner_may_be_anybody_and_a_key_only_what_it_is();
    void holders_are_told_apart_by_key();
    void a_revoked_key_is_nobody();
};

void RoleTest::the_table_of_rights_data() {
    QTest::addColumn<int>("role");
    QTest::addColumn<QString>("rights");  // watch, submit, administer, serve, advise
    QTest::newRow("viewer") << int(Role::viewer) << "x----";
    QTest::newRow("operator") << int(Role::operate) << "xx---";
    QTest::newRow("agent") << int(Role::agent) << "---x-";
    QTest::newRow("admin") << int(Role::admin) << "xxx--";
    QTest::newRow("module") << int(Role::module) << "----x";
}

void RoleTest::the_table_of_rights() {
    QFETCH(int, role);
    QFETCH(QString, rights);
    int column = 0;
    for (const Right right : {Right::watch, Right::submit, Right::administer, Right::serve, Right::advise})
        QCOMPARE(allowed(Role(role), right), rights[column++] == 'x');
    QVERIFY(!allowed(Role(0), Right::watch));
}

void RoleTest::names_are_read_as_they_are_written() {
    for (const Role role : {Role::viewer, Role::operate, Role::agent, Role::admin, Role::module})
        QVERIFY(parse_role(to_string(role)) == role);
    QVERIFY(!parse_role("root"));
    QVERIFY(!parse_role(""));
}

void RoleTest::an_owner_may_be_anybody_and_a_key_only_what_it_is() {
    const Credentials owner{true, {}, "uid:1000", {}, 1}, key{false, Role::agent, "node", "key", 0}, nobody;
    QVERIFY(owner.may_be(Role::agent) && owner.may_be(Role::admin));
    QVERIFY(key.may_be(Role::agent) && !key.may_be(Role::viewer));
    QVERIFY(!nobody.may_be(Role::viewer));
}

void RoleTest::holders_are_told_apart_by_key() {
    const Credentials one{false, Role::agent, "node", "key-1", 0}, renamed{false, Role::viewer, "other", "key-1", 0};
    const Credentials two{false, Role::agent, "node", "key-2", 0}, owner{true, {}, "uid:1000", {}, 1};
    QVERIFY(same_holder(one, renamed));
    QVERIFY(!same_holder(one, two));
    QVERIFY(!same_holder(one, owner));
}

void RoleTest::a_revoked_key_is_nobody() {
    AccessList list;
    QVERIFY(!list.find("key"));
    list.allow("key", {"eve", Role::viewer});
    list.allow("key", {"eve", Role::operate});
    QVERIFY(list.find("key")->role == Role::operate);
    QCOMPARE(list.find("key")->name, std::string("eve"));
    QVERIFY(!list.find("other"));
    list.revoke("key");
    QVERIFY(!list.find("key"));
}

DIVISI_TEST(RoleTest)

}  // namespace role_test

#include "role_test.moc"
