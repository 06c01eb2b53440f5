// SPDX-License-Identifier: Apache-2.0

#include "backend/identity/role.h"
#include "backend/identity/access_list.h"
#include "tests/support/test_program.h"

namespace role_test {

using namespace divisi;
using namespace divisi::identity;

class RoleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void roles_have_the_documented_rights_data();
    void roles_have_the_documented_rights();
    void role_names_read_back();
    void owner_may_take_any_role_and_a_key_only_its_own();
    void holders_are_distinguished_by_key();
    void revoked_key_has_no_role();
};

void RoleTest::roles_have_the_documented_rights_data() {
    QTest::addColumn<int>("role");
    QTest::addColumn<QString>("rights");  // rights: watch, submit, administer, serve, advise
    QTest::newRow("viewer") << int(Role::viewer) << "x----";
    QTest::newRow("operator") << int(Role::operate) << "xx---";
    QTest::newRow("agent") << int(Role::agent) << "---x-";
    QTest::newRow("admin") << int(Role::admin) << "xxx--";
    QTest::newRow("module") << int(Role::module) << "----x";
}

void RoleTest::roles_have_the_documented_rights() {
    QFETCH(int, role);
    QFETCH(QString, rights);
    int column = 0;
    for (const Right right : {Right::watch, Right::submit, Right::administer, Right::serve, Right::advise})
        QCOMPARE(allowed(Role(role), right), rights[column++] == 'x');
    QVERIFY(!allowed(Role(0), Right::watch));
}

void RoleTest::role_names_read_back() {
    for (const Role role : {Role::viewer, Role::operate, Role::agent, Role::admin, Role::module})
        QVERIFY(parse_role(to_string(role)) == role);
    QVERIFY(!parse_role("root"));
    QVERIFY(!parse_role(""));
}

void RoleTest::owner_may_take_any_role_and_a_key_only_its_own() {
    const Credentials owner{true, {}, "uid:1000", {}, 1}, key{false, Role::agent, "node", "key", 0}, nobody;
    QVERIFY(owner.may_be(Role::agent) && owner.may_be(Role::admin));
    QVERIFY(key.may_be(Role::agent) && !key.may_be(Role::viewer));
    QVERIFY(!nobody.may_be(Role::viewer));
}

void RoleTest::holders_are_distinguished_by_key() {
    const Credentials one{false, Role::agent, "node", "key-1", 0}, renamed{false, Role::viewer, "other", "key-1", 0};
    const Credentials two{false, Role::agent, "node", "key-2", 0}, owner{true, {}, "uid:1000", {}, 1};
    QVERIFY(same_holder(one, renamed));
    QVERIFY(!same_holder(one, two));
    QVERIFY(!same_holder(one, owner));
}

void RoleTest::revoked_key_has_no_role() {
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
